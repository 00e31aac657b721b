import { routes as beacon } from '@fairlead/beacon/contract'
import { methods as evm } from '@fairlead/evm-rpc/contract'
import { methods as grpc } from '@fairlead/grpc/contract'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { chromium } from '@fairlead/toolchains'
import { horizontalOverflow, launchChromium, violations } from '@fairlead/toolchains/browser'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { type DevelopmentFile, repository } from '@fairlead/e2e-tests/gateway'

const { base_url, api_key, owner_email, owner_password, nodes }: DevelopmentFile = inject('development')
const [evmNode] = nodes

const documents: readonly (readonly [name: string, ids: readonly string[]])[] = [
  ['platform', await platformOperations()],
  ['evm', Object.keys(evm)],
  ['beacon', Object.keys(beacon)],
  ['jetton-v2', Object.keys(v2.routes)],
  ['jetton-v2-rpc', Object.keys(v2Rpc.methods)],
  ['jetton-v3', Object.keys(v3.routes)],
  ['grpc', Object.keys(grpc).map((path) => path.slice(1))],
]

async function platformOperations(): Promise<readonly string[]> {
  const folder = join(repository, 'specs/platform/paths')
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.yaml'))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => [...text.matchAll(/operationId: (\w+)/g)].map(([, id = '']) => id))
}

// One of each kind: REST of the platform and of nodes, JSON-RPC with varying results, a subscription, gRPC.
const samples = [
  '',
  'beacon/',
  'platform/createProject',
  'beacon/getStateValidators',
  'jetton-v3/listTransactions',
  'evm/debug_traceCall',
  'evm/eth_subscribe',
  'grpc/geyser.Geyser/Subscribe',
]

const wide = { width: 1280, height: 900 }

describe.skipIf(chromium() === undefined)('the reference', () => {
  let browser: Browser
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(repository, 'packages/console/build-if-stale.ts')])
    browser = await launchChromium()
    // One page for all tests, because opening another one costs more than its content.
    context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce' })
    page = await context.newPage()
    page.on('pageerror', (error) => unwanted.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(base_url)) unwanted.push(request.url())
    })
    page.on('console', (message) => {
      // The browser logs each 4xx response. The page detects the sign-in state by one.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) unwanted.push(message.text())
    })
  })
  afterAll(() => browser.close())

  let context: BrowserContext
  let page: Page
  // What must not happen on any page: requests to other origins, requests that the browser blocks, and script errors.
  const unwanted: string[] = []
  afterEach(() => expect(unwanted.splice(0)).toEqual([]))

  async function open(path: string): Promise<void> {
    await page.goto(`${base_url}/docs/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  /** Sends the request of the page and waits until its response is complete. */
  async function sendIt(): Promise<string> {
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .locator('.outcome')
      .getByText(/ms, .* bytes$/)
      .waitFor()
    return page.locator('.outcome').innerText()
  }

  /** Expands everything that is collapsed. */
  async function openAll(): Promise<void> {
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true
    })
    if ((await page.locator('.try').count()) > 0) await page.locator('.try .form').waitFor()
  }

  it.each(documents)('lists every operation of %s', async (name, ids) => {
    await open(`${name}/`)
    const links = await page
      .locator('.operation-list a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links.toSorted()).toEqual(ids.map((id) => `/docs/${name}/${id}`).toSorted())
    const inNavigation = page.getByRole('navigation').locator('.is-operation')
    expect(await inNavigation.count()).toBe(ids.length)
  })

  it('loads little data before a document is opened', async () => {
    const scripts: Promise<Buffer>[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.body())
    })
    await open('')
    const sizes = (await Promise.all(scripts)).map((script) => gzipSync(script).length)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
  })

  it('finds an operation with the keyboard only', async () => {
    await open('')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('getbalance account')
    const found = page.getByRole('navigation').getByRole('link')
    await expect.poll(() => found.count()).toBe(1)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/evm/eth_getBalance')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('eth_getBalance')
    expect(await page.title()).toBe('eth_getBalance · Fairlead')
  })

  it('expands nested values at any depth', async () => {
    await open('evm/eth_getLogs')
    await page.getByRole('button', { name: '2 alternatives of filter' }).click()
    await page.getByRole('button', { name: /fields of FilterByRange/ }).click()
    await page.locator('.schema-name', { hasText: /^fromBlock$/ }).waitFor()
  })

  it('escapes HTML in descriptions', async () => {
    await open('beacon/eventstream')
    await page.getByText('event: <topic>').waitFor()
  })

  it('shows "Page not found" for an unknown URL', async () => {
    await open('evm/eth_nothing')
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Page not found')
  })

  it('sends a platform request with an API key, which stays in memory', async () => {
    await open('platform/getOrganization')
    expect(await page.locator('.operation-side .code-frame').first().innerText()).toContain(
      'Authorization: Bearer $TOKEN',
    )
    await page.getByText('Try it').click()
    await page.getByLabel('API key').fill(api_key)
    expect(await sendIt()).toContain('"id": "RG-')
    expect(await page.locator('main').innerText()).not.toContain(api_key)
    expect(page.url()).not.toContain(api_key)
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
    expect(stored).not.toContain(api_key)
  })

  it('calls a method of a node with a token', async () => {
    await open('evm/eth_blockNumber')
    expect(await page.locator('.operation-side .code-frame').first().innerText()).toContain(
      `"${base_url}/$TOKEN"`,
    )
    await page.getByText('Try it').click()
    await page.getByLabel('Token').fill(evmNode.token)
    expect(await sendIt()).toMatch(/"result": "0x[0-9a-f]+"/)
    expect(await page.locator('main').innerText()).not.toContain(evmNode.token)
  })

  it('opens a subscription over a WebSocket', async () => {
    await open('evm/eth_subscribe')
    await page.getByText('Try it').click()
    await page.getByLabel('Token').fill(evmNode.token)
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .locator('.outcome')
      .getByText(/"result": "0x/)
      .waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
  })

  it('sends requests with the session of the console, and with the token of a node that the user may reveal', async () => {
    const signIn = await context.request.post(`${base_url}/v1/session/`, {
      data: { email: owner_email, password: owner_password },
    })
    expect(signIn.status()).toBe(201)

    await open('platform/createProject')
    await page.getByText('Try it').click()
    await page.getByText('Signed in as').waitFor()
    await page.getByRole('textbox', { name: 'Body' }).fill('{}')
    // Rejected because of its body: the session authenticated the call.
    expect(await sendIt()).toMatch(/^400[^]*"name"/)

    // Only hashes of the initial credentials are stored.
    const made = await context.request.post(`${base_url}/v2/nodes/${evmNode.id}/credentials/`, {
      headers: { authorization: `Bearer ${api_key}` },
      data: { kind: 'token', label: 'for the reference' },
    })
    expect(made.status()).toBe(201)

    await open('evm/eth_chainId')
    await page.getByText('Try it').click()
    await page.getByRole('button', { name: 'Use its token' }).click()
    await expect.poll(() => page.getByLabel('Token', { exact: true }).inputValue()).not.toBe('')
    expect(await sendIt()).toMatch(/"result": "0x[0-9a-f]+"/)
  })

  it.each([
    ['light', samples, undefined],
    ['dark', ['', 'evm/debug_traceCall'], ['color-contrast']],
  ] as const)('is accessible in the %s theme', async (colorScheme, paths, rules) => {
    await page.emulateMedia({ colorScheme })
    for (const path of paths) {
      await open(path)
      await openAll()
      expect([path, await violations(page, rules)]).toEqual([path, []])
    }
  })

  it('has no horizontal scrolling on a narrow screen', async () => {
    onTestFinished(() => page.setViewportSize(wide))
    await page.setViewportSize({ width: 360, height: 740 })
    for (const path of samples) {
      await open(path)
      await openAll()
      expect([path, await horizontalOverflow(page)]).toEqual([path, 0])
    }
  })
})
