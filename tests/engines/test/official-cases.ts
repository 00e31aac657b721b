import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Response } from './rpc-client.ts'

/** A call of the execution-apis tests, and the response that clients agree on. */
export interface OfficialCase {
  /** Path below `tests`. */
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
  readonly expected: Response
  /** Whether only the form of the response is prescribed. */
  readonly isFormOnly: boolean
}

const variable = 'FAIRLEAD_EXECUTION_APIS'

/**
 * Folder `tests` of a clone of ethereum/execution-apis. Undefined without a clone; a printed line then says how to
 * enable the cases.
 */
export const officialTests = testsIn(process.env[variable])

function testsIn(clone: string | undefined): string | undefined {
  if (clone !== undefined) return join(clone, 'tests')
  process.stdout.write(
    `skipped: execution-apis cases; clone https://github.com/ethereum/execution-apis and name it in ${variable}\n`,
  )
  return undefined
}

/**
 * Reads the cases in the order of their paths. Some depend on the preceding ones.
 *
 * @see https://github.com/ethereum/execution-apis/blob/main/docs-api/docs/tests.md
 */
export async function readOfficialCases(tests: string): Promise<readonly OfficialCase[]> {
  const names = (await readdir(tests, { recursive: true })).filter((name) => name.endsWith('.io'))
  const cases = names.toSorted().map(async (name) => casesIn(name, await readFile(join(tests, name), 'utf8')))
  return (await Promise.all(cases)).flat()
}

function casesIn(name: string, text: string): readonly OfficialCase[] {
  const lines = text.split('\n')
  const messages = <message>(mark: string) =>
    lines
      .filter((line) => line.startsWith(mark))
      .map((line) => JSON.parse(line.slice(mark.length)) as message)
  const isFormOnly = lines.some((line) => line.startsWith('// speconly:'))
  const responses = messages<Response>('<<')
  return messages<{ method: string; params?: readonly unknown[] }>('>>').map(
    ({ method, params = [] }, at) => {
      const expected = responses[at]
      if (expected === undefined) throw new Error(`${name} has no response to its request ${at + 1}`)
      return { name, method, params, expected, isFormOnly }
    },
  )
}
