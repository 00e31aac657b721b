import { chromium } from '@fairlead/toolchains'
import {
  type Browser,
  horizontalOverflow,
  launchChromium,
  openPage,
  type Page,
  violations,
} from '@fairlead/toolchains/browser'
import type { HttpServer } from '@fairlead/vitest/http-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveSite } from './site-server.ts'

const widths = [1280, 320]

/** The color schemes, and the only rules that run in each: all of them in the first. */
const schemes = [
  { colorScheme: 'light', rules: undefined },
  { colorScheme: 'dark', rules: ['color-contrast'] },
] as const

describe.skipIf(chromium() === undefined)('the site in a browser', () => {
  let server: HttpServer
  let browser: Browser
  // One page for all tests, so that the browser loads the scripts once.
  let page: Page
  const problems: string[] = []
  beforeAll(async () => {
    server = await serveSite()
    browser = await launchChromium()
    page = await openPage(browser, server.url, problems)
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  /** Opens a page of the site and waits until its scripts run. */
  async function open(path: string): Promise<void> {
    await page.goto(`${server.url}${path}`)
    await page.waitForFunction(`'__vue_app__' in document.querySelector('#app')`)
  }

  /** Returns accessibility violations, horizontal scrolling and errors of the page in its current state. */
  async function findings(): Promise<readonly string[]> {
    const found: string[] = []
    for (const { colorScheme, rules } of schemes) {
      await page.emulateMedia({ colorScheme })
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        await page.waitForFunction(`innerWidth === ${width}`)
        const state = `${colorScheme}, ${width} px`
        found.push(...(await violations(page, rules)).map((violation) => `${state}: ${violation}`))
        const overflow = await horizontalOverflow(page)
        if (overflow > 0) found.push(`${state}: scrolls horizontally by ${overflow} px`)
      }
    }
    return [...found, ...problems.splice(0)]
  }

  it.each([
    ['the start page', '/'],
    ['a page with highlighted code', '/start.html'],
    ['a page with indented code', '/operations/limits.html'],
    ['a reference with tables', '/reference/configuration.html'],
    ['the benchmarks', '/benchmarks.html'],
    ['a page with diagrams', '/architecture.html'],
    ['a page of a package', '/packages/grpc.html'],
    ['a generated page of operations', '/specifications/grpc.html'],
    ['a generated page of types', '/api/platform-client.html'],
  ])('has no violations: %s', async (_, path) => {
    await open(path)
    expect(await findings()).toEqual([])
  })

  it('has no violations: a missing page', async () => {
    await open('/missing.html')
    expect(await findings()).toEqual([
      'Failed to load resource: the server responded with a status of 404 (Not Found)',
    ])
  })

  it('has no violations: the search', async () => {
    await open('/start.html')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Search' }).fill('maxLogRange')
    await page.getByRole('option').first().waitFor()
    expect(await findings()).toEqual([])
  })

  it('has no violations: the menu of a narrow window', async () => {
    await page.setViewportSize({ width: 320, height: 800 })
    await open('/start.html')
    await page.getByRole('button', { name: 'Menu' }).click()
    const group = page.getByRole('button', { name: 'Decisions', expanded: false })
    await group.press('Enter')
    await page.getByRole('button', { name: 'Decisions', expanded: true }).waitFor()
    expect(await violations(page)).toEqual([])
  })
})
