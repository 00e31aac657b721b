import { expect, it } from 'vitest'
import { allFences, placeOf } from '../pages/fence.ts'
import { problemOfCommand } from './problem-of-command.ts'
import { splitCommands } from './split-commands.ts'

const scripts = allFences.filter(({ language }) => language === 'sh')

it('every command of the pages is one that there is, with its flags and variables', () => {
  const commands = scripts.flatMap((fence) => splitCommands(fence.text).map((words) => ({ fence, words })))
  const problems = commands.flatMap(({ fence, words }) => {
    const problem = problemOfCommand(words)
    return problem === undefined ? [] : [`${placeOf(fence)}: ${words.join(' ')}: ${problem}`]
  })
  expect(problems).toEqual([])
  expect(commands.filter(({ words }) => words.includes('fairlead')).length).toBeGreaterThan(15)
})

it.each<[string, string]>([
  ['fairlead node lst', 'there is no command node lst'],
  ['fairlead serve --prot 1', 'serve has no flag --prot'],
  ['fairlead backup', 'backup takes other arguments'],
  ['FAIRLEAD_EVM_UPSTREM=x npm run serve', 'there is no variable FAIRLEAD_EVM_UPSTREM'],
  ['npm run qickstart', 'there is no script qickstart'],
  ['npm run example -- idexer --count 1', 'there is no example idexer'],
  ['npm install @fairlead/evm', '@fairlead/evm cannot be installed'],
  ['curl "$API_URL/v2/node/"', 'the platform API has no GET /v2/node/'],
  ['pnpm --filter @fairlead/console biuld', '@fairlead/console has no script biuld'],
  ['kubctl apply', 'the program kubctl is unknown'],
])('a command that is not: %s', (script, problem) => {
  expect(splitCommands(script).map(problemOfCommand)).toContain(problem)
})
