import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { placeOf } from '../pages/fence.ts'
import { repository } from '../pages/page.ts'
import { programs } from './program-folder.ts'

/** The variables that a program reads, and those that it rejects when they are missing. */
function variablesOf(text: string): {
  readonly read: readonly string[]
  readonly required: readonly string[]
} {
  const patterns = [...text.matchAll(/\{([^{}]*)\}\s*=\s*process\.env\b/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
  const direct = [...text.matchAll(/\bprocess\.env(?:\.|\[')(\w+)/g)].map(([, name = '']) => name)
  const messages = [...text.matchAll(/throw new Error\('Set ([^']*)'\)/g)].map(([, names = '']) => names)
  return {
    read: [...patterns, ...direct].filter((name) => name !== ''),
    required: messages.flatMap((names) => names.match(/[A-Z][A-Z_]+/g) ?? []),
  }
}

/** The variables that a program reads without an error that names them when they are missing. */
function unchecked(text: string): readonly string[] {
  const { read, required } = variablesOf(text)
  return read.filter((pattern) => pattern.includes('=') || !required.includes(pattern.replace(/:.*/, '')))
}

it('a program of a page reports a missing variable by name', () => {
  const problems = programs.flatMap((program) =>
    unchecked(program.text).map((name) => `${placeOf(program)}: ${name}`),
  )
  expect(problems).toEqual([])
  expect(programs.filter(({ text }) => variablesOf(text).read.length > 0).length).toBeGreaterThan(40)
})

it('an example reports a missing variable by name', () => {
  // The runner of the examples sets variables, and reads none of a user.
  const files = execFileSync('git', ['ls-files', 'examples/*/*.ts'], { cwd: repository, encoding: 'utf8' })
  const examples = files.split('\n').filter((file) => file !== '')
  const problems = examples.flatMap((file) =>
    unchecked(readFileSync(join(repository, file), 'utf8')).map((name) => `${file}: ${name}`),
  )
  expect(problems).toEqual([])
  expect(examples.length).toBeGreaterThan(5)
})
