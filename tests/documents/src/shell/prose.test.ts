import { expect, it } from 'vitest'
import { readPages } from '../pages/page.ts'
import { problemOfFairlead } from './command-table.ts'
import { problemOfVariable } from './problem-of-command.ts'
import { splitCommands } from './split-commands.ts'

const pages = readPages()

it('every variable that a page names is one of the gateway or of its command line', () => {
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\bFAIRLEAD_[A-Z_]+\b/g)].map(([name]) => ({ path, name })),
  )
  expect(named.length).toBeGreaterThan(100)
  expect(named.flatMap(({ path, name }) => (problemOfVariable(name) ? [`${path}: ${name}`] : []))).toEqual([])
})

it('every command that a sentence names is one of the command line, with its flags', () => {
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`fairlead ((?:[a-z]|--)[^`]*)`/g)].map(([, words = '']) => ({ path, words })),
  )
  const problems = named.flatMap(({ path, words }) => {
    const [command = []] = splitCommands(words.replaceAll(/[<>[\]]/g, ''))
    const problem = problemOfFairlead(command)
    // A sentence may omit arguments.
    return problem === undefined || problem.endsWith('other arguments')
      ? []
      : [`${path}: ${words}: ${problem}`]
  })
  expect(named.length).toBeGreaterThan(10)
  expect(problems).toEqual([])
})
