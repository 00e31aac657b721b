import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../pages/page.ts'

const number = String.raw`\d[\d_]*(?:\.\d+)?`
const operator = String.raw`(?: (?:\*\*|\*|<<) )`
const expression = `${number}(?:${operator}${number})*`

/**
 * Reads a number from TypeScript source, also one that the module does not export.
 *
 * @param path - relative to the root of the repository
 * @param name - name of a constant, a property or a parameter with a default; or a pattern whose first group is the
 *   expression
 * @throws Error when the source has no such number, or several that differ
 */
export function constantOf(path: string, name: string | RegExp): number {
  const pattern =
    typeof name === 'string' ? `\\b${name}(?:\\??: number)?(?: =|:| \\?\\?) (${expression})` : name.source
  const source = readFileSync(join(repository, path), 'utf8')
  const values = new Set([...source.matchAll(new RegExp(pattern, 'g'))].map(([, text = '']) => valueOf(text)))
  const [value] = values
  if (value === undefined || values.size > 1) {
    throw new Error(
      `${path} has ${values.size === 0 ? 'no number' : 'different numbers'} for ${String(name)}`,
    )
  }
  return value
}

/** The value of numbers that are multiplied, raised or shifted. */
function valueOf(text: string): number {
  if (!new RegExp(`^${expression}$`).test(text)) throw new Error(`${text} is not a number`)
  return text
    .replaceAll('_', '')
    .split(' * ')
    .map((factor) => {
      const [base = Number.NaN, exponent] = factor.split(/ (?:\*\*|<<) /).map(Number)
      if (exponent === undefined) return base
      return factor.includes('<<') ? base * 2 ** exponent : base ** exponent
    })
    .reduce((product, factor) => product * factor, 1)
}
