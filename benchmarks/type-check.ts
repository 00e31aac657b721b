// Compile times of a program of thirty methods, compared with thirty calls of the jetton chain, thirty with viem, and
// an empty program.
import { type ExecFileException, execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { typescriptCompilers } from '@fairlead/toolchains'
import { readFlags } from './fixtures/read-flags.ts'
import { measuresOf } from './fixtures/report/comparison.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'

const roles = { empty: 'reference', 'evm-rpc': 'fairlead', jetton: 'fairlead', viem: 'alternative' } as const
const viemProgram = `import { createPublicClient, http } from 'viem'
const client = createPublicClient({ transport: http('https://node.example.com') })
const address = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const hash = '0x1212121212121212121212121212121212121212121212121212121212121212'
${[
  'getBlockNumber()',
  'getBlock({ includeTransactions: true })',
  'getBlock({ blockHash: hash })',
  'getTransactionReceipt({ hash })',
  "getLogs({ fromBlock: 1n, toBlock: 'latest' })",
  'getChainId()',
  'getGasPrice()',
  'getBalance({ address })',
  'getCode({ address })',
  'getProof({ address, storageKeys: [hash] })',
  'getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] })',
  'call({ to: address })',
  'estimateGas({ to: address })',
  'createAccessList({ to: address })',
  'getBlockTransactionCount()',
  'getTransaction({ hash })',
  'getTransactionCount({ address })',
  "getStorageAt({ address, slot: '0x0' })",
  'estimateMaxPriorityFeePerGas()',
  'createEventFilter()',
]
  .map((call, index) => `export const result${index} = await client.${call}`)
  .join('\n')}
${Array.from({ length: 10 }, (_, index) => `export const again${index} = await client.getBlock({ blockNumber: ${index}n })`).join('\n')}
`

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 3,
  software: {
    packages: ['viem'],
    folders: typescriptCompilers.map(([, script]) => dirname(dirname(script))),
  },
})
const folder = await mkdtemp(join(import.meta.dirname, '.type-check-'))
try {
  const programs: Readonly<Record<keyof typeof roles, string>> = {
    empty: 'empty.ts',
    'evm-rpc': 'evm-rpc.ts',
    jetton: 'jetton.ts',
    viem: 'viem.ts',
  }
  await writeFile(join(folder, 'empty.ts'), 'export {}\n')
  await writeFile(join(folder, 'viem.ts'), viemProgram)
  await cp(
    join(import.meta.dirname, '../tests/consumers/program/thirty-methods.ts'),
    join(folder, 'evm-rpc.ts'),
  )
  await cp(join(import.meta.dirname, 'fixtures/jetton-program.ts'), join(folder, 'jetton.ts'))
  for (const [version, compiler] of typescriptCompilers) {
    const seconds = new Map<string, number[]>(Object.keys(roles).map((name) => [name, []]))
    for (let round = 0; round < report.rounds; round++) {
      for (const [name, file] of Object.entries(programs)) {
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration(file)))
        const started = performance.now()
        const errors = await run(compiler)
        if (errors) throw new Error(`${name} with TypeScript ${version}:\n${errors}`)
        seconds.get(name)?.push((performance.now() - started) / 1_000)
      }
    }
    const measures = measuresOf(seconds, [
      {
        name: 'time of the compiler',
        unit: 's',
        better: 'lower',
        baseline: 'empty',
        value: (sample) => sample,
      },
    ])
    report.add({ title: `TypeScript ${version}`, roles, measures, errors: 0 })
  }
  await report.finish()
} finally {
  await rm(folder, { recursive: true, force: true })
}

function configuration(file: string) {
  return {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      // The published entry point: built declarations, not sources.
      customConditions: [],
    },
    files: [file],
  }
}

/** Returns the compiler errors. Empty when there are none. */
function run(compiler: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', folder], (error: ExecFileException | null, stdout) =>
      resolve(error ? stdout || error.message : ''),
    )
  })
}
