import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allFences, type Fence, outputOf, placeOf } from '../pages/fence.ts'
import { printedPattern } from './printed.ts'
import { type ProgramFolder, programs, writePrograms } from './program-folder.ts'
import { asInPages, atGateway, type RunningGateway, startGateway } from './gateway.ts'

let gateway: RunningGateway
let folder: ProgramFolder
beforeAll(async () => {
  folder = writePrograms()
  gateway = await startGateway()
})
afterAll(async () => {
  folder.remove()
  await gateway.stop()
})

/** Returns the output of a program that exits with 0. */
function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((done, failed) => {
    const options = { cwd, env: gateway.environment, timeout: 60_000 }
    execFile(program, args, options, (error, output, errors) =>
      error ? failed(new Error(`${error.message}\n${output}${errors}`)) : done(asInPages(output, gateway)),
    )
  })
}

function isToRun({ attributes }: Fence): boolean {
  return attributes.includes('run')
}

const mark = '-- next --'

/** The fences to run, by page, in order. */
function byPage(fences: readonly Fence[]): (readonly [page: string, fences: readonly Fence[]])[] {
  const toRun = fences.filter(isToRun)
  const pages = new Set(toRun.map(({ page }) => page))
  return [...pages].map((page) => [page, toRun.filter((fence) => fence.page === page)] as const)
}

/** Compares the output, in which a mark ends each part, with the expected output of the page. */
function assertPrinted(printed: string, fences: readonly Fence[], expected: typeof expect): void {
  const outputs = printed.split(`${mark}\n`)
  for (const [index, fence] of fences.entries()) {
    const output = outputs[index]?.trimEnd() ?? ''
    const pattern = printedPattern(outputOf(fence) ?? '…')
    expected(output === '' ? '' : `${output}\n`, placeOf(fence)).toMatch(pattern)
  }
}

describe('the programs of a page', () => {
  it.concurrent.for(byPage(programs))(
    'print what it says: %s',
    async ([page, fences], { expect: expected }) => {
      // Programs write files to the working directory, and expect an empty one at the start, also on a retry.
      const own = mkdtempSync(join(gateway.folder, `${page.replaceAll('/', '-')}-`))
      // One after the other in one process, which must exit by itself.
      const script = fences.map(
        (program) => `await import('${folder.fileOf(program)}'); console.log('${mark}')`,
      )
      const args = ['--conditions=@fairlead/source', '--input-type=module', '--eval', script.join('\n')]
      assertPrinted(await run('node', args, own), fences, expected)
    },
  )
})

describe('the commands of a page', () => {
  const commands = allFences.filter(({ language }) => language === 'sh')

  it.concurrent.for(byPage(commands))('print what it says: %s', async ([, fences], { expect: expected }) => {
    // One shell for all commands of a page: state that a command sets is available to the next.
    const script = fences.map(({ text }) => `${atGateway(text, gateway)}\necho\necho '${mark}'`)
    const printed = await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], gateway.folder)
    assertPrinted(printed, fences, expected)
  })
})

it('the gateway prints what the start page shows', () => {
  const fences = allFences.filter(({ attributes }) => attributes.includes('gateway'))
  expect(fences.length).toBeGreaterThan(0)
  for (const { text } of fences)
    expect(`${gateway.output.trimEnd()}\n`.slice(-10_000)).toMatch(lastLines(text))
})

/** Matches a text that ends with the expected lines. */
function lastLines(text: string): RegExp {
  return printedPattern(`…\n${text}`)
}

describe('the pages', () => {
  it('show for each family what runs', () => {
    const guides = ['platform', 'evm', 'beacon', 'jetton', 'grpc'].map((name) => `docs/guides/${name}.md`)
    const recipes = ['failover', 'subscriptions', 'burns-watcher', 'fork-choice', 'streaming'].map(
      (name) => `docs/recipes/${name}.md`,
    )
    const unrun = [...guides, ...recipes].filter(
      (page) => !programs.some((program) => program.page === page && isToRun(program)),
    )
    expect(unrun).toEqual([])
    const notRun = programs
      .filter(({ page }) => /^docs\/(?:guides|recipes)\//.test(page))
      .filter((program) => !isToRun(program))
    expect(notRun.map(placeOf)).toEqual([])
  })
})
