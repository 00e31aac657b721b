/** What a number on a page measures: milliseconds, bytes, or anything that is counted. */
export type Measure = 'ms' | 'bytes' | 'count'

export interface Quantity {
  readonly value: number
  readonly measure: Measure
}

const words = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]
const numbers: ReadonlyMap<string, number> = new Map([
  ...words.map((word, value) => [word, value] as const),
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
  ['sixty', 60],
  ['a million', 1_000_000],
  ['half a', 0.5],
  ['a quarter of a', 0.25],
  ['every', 1],
  ['a', 1],
  ['an', 1],
])

const units: Readonly<Record<string, Quantity>> = {
  ms: { value: 1, measure: 'ms' },
  millisecond: { value: 1, measure: 'ms' },
  s: { value: 1_000, measure: 'ms' },
  second: { value: 1_000, measure: 'ms' },
  minute: { value: 60_000, measure: 'ms' },
  hour: { value: 3_600_000, measure: 'ms' },
  day: { value: 86_400_000, measure: 'ms' },
  byte: { value: 1, measure: 'bytes' },
  kB: { value: 1e3, measure: 'bytes' },
  MB: { value: 1e6, measure: 'bytes' },
  GB: { value: 1e9, measure: 'bytes' },
  KiB: { value: 2 ** 10, measure: 'bytes' },
  MiB: { value: 2 ** 20, measure: 'bytes' },
  GiB: { value: 2 ** 30, measure: 'bytes' },
}

const digits = String.raw`\d[\d,]*(?:\.\d+)?`
const spelled = [...numbers.keys()]
  .toSorted((a, b) => b.length - a.length)
  .join('|')
  .replaceAll(' ', String.raw`\s+`)
const unit = `(?:(?:${Object.keys(units).join('|')})s?)(?![\\w/])`
const source = `(?<![\\w.,-])(?<number>${digits}|(?:${spelled})\\b)(?:[\\s-]+(?<unit>${unit}))?`

/** The quantity at the end of a text, such as `10`, `64 MiB`, `ten seconds` or `half a second`. */
export function quantityAtEnd(text: string): Quantity | undefined {
  const match = new RegExp(`${source}[\`*]*$`, 'i').exec(text)
  return match?.groups ? quantityOf(match.groups) : undefined
}

/** A quantity with a unit of time or size in a text, and the position after it. */
export interface FoundQuantity {
  readonly text: string
  readonly end: number
}

/** All quantities with a unit. `a second` and the like are omitted, because they are mostly rates. */
export function quantitiesIn(text: string): readonly FoundQuantity[] {
  return [...text.matchAll(new RegExp(source, 'gi'))]
    .filter(({ groups }) => groups?.['unit'] !== undefined && !/^an?$/i.test(groups['number'] ?? ''))
    .map((match) => ({ text: match[0].replaceAll(/\s+/g, ' '), end: match.index + match[0].length }))
}

function quantityOf(groups: Readonly<Record<string, string | undefined>>): Quantity {
  const spelling = (groups['number'] ?? '').toLowerCase().replaceAll(/\s+/g, ' ')
  const amount = numbers.get(spelling) ?? Number(spelling.replaceAll(',', ''))
  const name = groups['unit']
  if (name === undefined) return { value: amount, measure: 'count' }
  const { value, measure } = units[name] ??
    units[name.replace(/s$/, '')] ?? { value: Number.NaN, measure: 'count' }
  return { value: amount * value, measure }
}
