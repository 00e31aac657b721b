import { bun, chromium, deno, node, nodeLines, typescriptCompilers } from '@fairlead/toolchains'
import { clientFolders } from '../packed-package.ts'
import { compile, resolutions, writePrograms } from './compilers.ts'
import type { Project } from './project.ts'
import type { Results } from './results.ts'
import { callGateway, readReport } from './runtimes.ts'
import { bundleWithVite, bundleWithWebpack, reportOfEdge, reportOfPage } from './web.ts'

/** The inputs of a consumer. */
export interface ConsumerInputs {
  readonly project: Project
  /** Folder of the programs that call the gateway. */
  readonly calls: string
  /** URL of the gateway. */
  readonly gateway: string
}

/** A runtime or compiler that uses the packages, and its check. */
export interface Consumer {
  readonly name: string
  readonly check: 'calls' | 'compiles'
  /** Whether this machine has the consumer. */
  readonly isInstalled: boolean
  run(inputs: ConsumerInputs): Promise<Results>
}

function runtime(name: string, program: string | undefined, ...args: readonly string[]): Consumer {
  return {
    name,
    check: 'calls',
    isInstalled: program !== undefined,
    run: ({ calls }) => callGateway(program ?? '', args, calls, clientFolders),
  }
}

/** A web program that reports its results, or fails. */
function web(
  name: string,
  isInstalled: boolean,
  runProgram: (inputs: ConsumerInputs) => Promise<string>,
): Consumer {
  const run = async (inputs: ConsumerInputs) => {
    const report = await runProgram(inputs).catch((error: unknown) => String(error))
    return readReport(report, report, clientFolders)
  }
  return { name, check: 'calls', isInstalled, run }
}

const browser = chromium()

/** Programs that call a running gateway. */
export const callers: readonly Consumer[] = [
  ...nodeLines.flatMap((line) => [
    runtime(`Node ${line}, ESM`, node(line), 'esm.js'),
    runtime(`Node ${line}, CommonJS`, node(line), '--no-warnings', 'cjs.cjs'),
  ]),
  runtime('Deno', deno(), 'run', '--quiet', '--allow-net=127.0.0.1', '--allow-env', '--allow-read', 'esm.js'),
  runtime('Bun', bun(), 'run', 'esm.js'),
  web('edge runtime', true, ({ calls }) => reportOfEdge(calls)),
  web('Vite, Chromium', browser !== undefined, async ({ calls, gateway }) =>
    reportOfPage(browser ?? '', await bundleWithVite(calls), gateway),
  ),
  web('webpack, Chromium', browser !== undefined, async ({ calls, gateway }) =>
    reportOfPage(browser ?? '', await bundleWithWebpack(calls), gateway),
  ),
]

/** Compilers that compile programs with the declarations of all packages. */
export const compilers: readonly Consumer[] = typescriptCompilers.flatMap(([version, compiler]) =>
  resolutions.map((resolution): Consumer => ({
    name: `TypeScript ${version}, ${resolution}`,
    check: 'compiles',
    isInstalled: true,
    async run({ project }) {
      await writePrograms(project)
      return compile(project, compiler, resolution)
    },
  })),
)
