import { describe, expect, it } from 'vitest'
import { resultsOf } from './compilers.ts'
import { failuresOf, matrixTable, type Row } from './results.ts'
import { callGateway } from './runtimes.ts'

const rows: readonly Row[] = [
  { consumer: 'Node 22', check: 'calls', results: { core: 'pass', sdk: 'Error: no' } },
  { consumer: 'Deno', check: 'calls', results: undefined },
  { consumer: 'fairlead', check: 'help', results: { gateway: 'pass' } },
]

describe('the matrix', () => {
  it('has a cell for every consumer and package', () => {
    expect(matrixTable(rows, ['core', 'sdk', 'gateway']).split('\n')).toEqual([
      'consumer  check  core    sdk     gateway',
      'Node 22   calls  pass    FAIL    -',
      'Deno      calls  absent  absent  absent',
      'fairlead  help   -       -       pass',
    ])
  })

  it('lists failures', () => {
    expect(failuresOf(rows, false)).toEqual(['Node 22, sdk: Error: no'])
  })

  it('lists missing consumers where all are required', () => {
    expect(failuresOf(rows, true)).toEqual(['Node 22, sdk: Error: no', 'Deno is absent'])
  })
})

describe('a consumer program', () => {
  const runProgram = (script: string) =>
    callGateway(process.execPath, ['--eval', script], '.', ['core', 'sdk'])

  it('reports the result of each package', async () => {
    expect(await runProgram(`console.log('{"core":"pass","sdk":"no"}')`)).toEqual({ core: 'pass', sdk: 'no' })
  })

  it('counts as failed for all packages when it exits with an error', async () => {
    const results = await runProgram(`console.log('{"core":"pass","sdk":"pass"}'); process.exit(3)`)
    expect(results).toEqual({ core: expect.stringContaining('3'), sdk: expect.stringContaining('3') })
  })
})

describe('compiler errors', () => {
  const error = 'error TS2322: no'
  const failed = (output: string) =>
    Object.entries(resultsOf(output))
      .filter(([, result]) => result !== 'pass')
      .map(([folder]) => folder)

  it.each([
    ['', []],
    [
      `node_modules/.pnpm/@fairlead+grpc@file+a.tgz/node_modules/@fairlead/grpc/dist/x.d.ts(1,1): ${error}`,
      ['grpc'],
    ],
    [`readme-core-0.ts(2,3): ${error}\n  because of something`, ['core']],
    [`program.ts(4,1): error TS2307: Cannot find module '@fairlead/sdk' or its types`, ['sdk']],
  ])('in %j are about %j', (output, folders) => {
    expect(failed(output)).toEqual(folders)
  })

  it.each([`program.ts(4,1): ${error}`, 'the compiler broke'])('in %j are about all packages', (output) => {
    expect(failed(output)).toHaveLength(8)
  })
})
