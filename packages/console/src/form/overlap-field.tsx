import { SelectField } from './fields.tsx'

const overlaps: readonly (readonly [seconds: number, label: string])[] = [
  [0, 'Revoke immediately'],
  [3_600, '1 hour'],
  [21_600, '6 hours'],
  [86_400, '24 hours'],
]

/** How long an old secret stays valid after the creation of a new one. */
export function OverlapField() {
  return (
    <SelectField
      name="overlap_seconds"
      label="Keep the old secret valid for"
      value="3600"
      choices={overlaps.map(([seconds, label]) => ({ value: String(seconds), label }))}
    />
  )
}
