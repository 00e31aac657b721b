import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { chromiumArguments, chromium as chromiumPath } from '@fairlead/toolchains'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { call, evmNode } from './evm.ts'
import { run, start } from './example.ts'
import { environment, repository } from './gateway.ts'

const folder = join(repository, 'examples/react-live-heads')
const executablePath = chromiumPath()

it('shows new blocks, and marks those that were reorganized out', async ({ skip }) => {
  skip(executablePath === undefined, 'no Chromium is installed; CHROMIUM names one')
  const server = start(['react-live-heads', '--port', '0'])
  const [browser] = await Promise.all([
    chromium.launch({ executablePath: executablePath ?? '', args: chromiumArguments }),
    server.printed(/^The page is at http/),
  ])
  onTestFinished(() => browser.close())
  const [, url = ''] = /at (http\S+);/.exec(server.lines().join('\n')) ?? []
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  const requestedHosts = new Set<string>()
  page.on('request', (request) => requestedHosts.add(new URL(request.url()).host))
  page.on('websocket', (socket) => requestedHosts.add(new URL(socket.url()).host))

  await page.goto(url)
  await page.getByText('connected', { exact: true }).waitFor()
  const rowOf = (number: number) =>
    page.getByRole('row').filter({ has: page.getByRole('cell', { name: String(number), exact: true }) })
  const height = Number(await call<string>('eth_blockNumber'))
  await rowOf(height).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(10)

  await run(['activity', 'transfers', '--count', '1'])
  await rowOf(height + 1).waitFor()
  const { gasUsed } = await call<{ gasUsed: string }>('eth_getBlockByNumber', 'latest', false)
  const formatted = await page.evaluate(`(${Number(gasUsed)}).toLocaleString()`)
  expect(await rowOf(height + 1).innerText()).toContain(formatted)

  await run(['activity', 'reorg', '1'])
  await rowOf(height + 1)
    .getByText('reorged out')
    .waitFor()
  await rowOf(height + 1)
    .nth(1)
    .waitFor()
  expect(await page.getByText('reorged out').count()).toBe(1)
  expect(await page.locator('tbody tr').first().innerText()).not.toContain('reorged out')

  expect(problems).toEqual([])
  expect([...requestedHosts].toSorted()).toEqual(
    [new URL(url).host, new URL(evmNode().node_url).host].toSorted(),
  )
  await browser.close()
  expect((await server.waitForExit('SIGINT')).code).toBe(0)
})

it('has the bundle size of its README, and loads nothing from other hosts', async () => {
  const output = await mkdtemp(join(tmpdir(), 'fairlead-react-'))
  onTestFinished(() => rm(output, { recursive: true }))
  const build = ['build', '--outDir', output, '--emptyOutDir', '--logLevel', 'warn']
  await promisify(execFile)(join(folder, 'node_modules/.bin/vite'), build, {
    cwd: folder,
    env: {
      ...environment(output),
      NODE_ENV: 'production',
      NODE_URL: 'https://node.example.com',
      NODE_TOKEN: 'token',
    },
  })
  const assets = await readdir(join(output, 'assets'))
  const scripts = assets.filter((name) => name.endsWith('.js'))
  const texts = await Promise.all(scripts.map((name) => readFile(join(output, 'assets', name))))
  const kilobytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1_000
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const [, said] = /(\d+) kB of JavaScript after gzip/.exec(readme) ?? []
  expect(Math.abs(kilobytes - Number(said))).toBeLessThan(3)
  const page = await readFile(join(output, 'index.html'), 'utf8')
  expect(
    [...page.matchAll(/(?:src|href)="([^"]*)"/g)].every(([, to]) => /^(\/assets\/|data:)/.test(to ?? '')),
  ).toBe(true)
})
