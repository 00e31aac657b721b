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
  const values = numbersIn(path, typeof name === 'string' ? assignmentOf(name) : name)
  const [value] = values
  if (value === undefined || values.size > 1) {
    throw new Error(
      `${path} has ${values.size === 0 ? 'no number' : 'different numbers'} for ${String(name)}`,
    )
  }
  return value
}

/** All numbers that a source file assigns to a name, or passes with it: `name = 1`, `name: 1`, `number('name', 1)`. */
export function defaultsOf(path: string, name: string): ReadonlySet<number> {
  return numbersIn(path, assignmentOf(name))
}

function assignmentOf(name: string): RegExp {
  return new RegExp(`\\b${name}(?:(?:\\?|: \\w+)*(?: =|:| \\?\\?)|',) (${expression})`)
}

function numbersIn(path: string, pattern: RegExp): ReadonlySet<number> {
  const source = readFileSync(join(repository, path), 'utf8').replaceAll(' * mebibyte', ' * 1_048_576')
  return new Set([...source.matchAll(new RegExp(pattern, 'g'))].map(([, text = '']) => valueOf(text)))
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
