import { SelectField } from './fields.tsx'

const overlaps: readonly (readonly [seconds: number, label: string])[] = [
  [0, 'Not at all'],
  [3_600, 'An hour'],
  [21_600, 'Six hours'],
  [86_400, 'A day'],
]

/** How long an old secret stays valid after the creation of a new one. */
export function OverlapField() {
  return (
    <SelectField
      name="overlap_seconds"
      label="The old one works on for"
      value="3600"
      choices={overlaps.map(([seconds, label]) => ({ value: String(seconds), label }))}
    />
  )
}
