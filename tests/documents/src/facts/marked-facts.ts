import type { Page } from '../pages/page.ts'
import { facts } from './facts.ts'
import { type FoundQuantity, quantitiesIn, quantityAtEnd } from './quantity.ts'

/** A mark in a page: `64 MiB<!-- fact: name -->`. It follows the number and its unit without a space. */
const marks = /<!-- fact: (.*?) -->/g

/** The names of the facts that a page states. */
export function markedIn({ text }: Page): readonly string[] {
  return [...text.matchAll(marks)].map(([, name = '']) => name)
}

/** The facts that a page states with another value than the code, or in a form that cannot be compared. */
export function wrongFacts({ path, text }: Page): readonly string[] {
  return [...text.matchAll(marks)].flatMap(({ 1: name = '', index }) => {
    const before = text.slice(0, index)
    const problem = problemOf(name, before)
    return problem === undefined ? [] : [`${path}:${before.split('\n').length}: ${problem}`]
  })
}

function problemOf(name: string, before: string): string | undefined {
  const fact = facts[name]
  if (fact === undefined) return `there is no fact "${name}"`
  const stated = quantityAtEnd(before.slice(-60))
  if (stated === undefined) return `"${name}" follows no number`
  if (stated.measure === fact.measure && stated.value === fact.value) return undefined
  return `"${name}" is ${fact.value} ${fact.measure}, not ${stated.value} ${stated.measure}`
}

/** The quantities with a unit that a page states outside of code blocks without a mark. */
export function unmarkedQuantities({ text }: Page): readonly string[] {
  const prose = text.replaceAll(/^( *)```[^]*?^\1```/gm, '')
  const isMarked = ({ end }: FoundQuantity) => /^[`*]*<!-- fact: /.test(prose.slice(end, end + 20))
  return quantitiesIn(prose)
    .filter((quantity) => !isMarked(quantity))
    .map((quantity) => quantity.text)
}
