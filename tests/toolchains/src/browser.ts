// A browser for tests of pages. In a separate entry, because programs that only look for a runtime do not load one.
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumArguments, chromium as chromiumPath } from './toolchains.ts'

export type { Browser, Page }

/**
 * Starts the system Chromium.
 *
 * @throws Error if there is none
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('Chromium is not installed.')
  return chromium.launch({ executablePath, args: chromiumArguments })
}

/** Options of {@link openPage}. */
export interface OpenPageOptions extends BrowserContextOptions {
  /** Matches the text of console errors that are expected, such as those of rejected requests. */
  readonly expectedErrors?: RegExp
}

/**
 * Opens a URL for a new visitor, in a window of 1280 by 800 pixels unless the options have another size.
 *
 * @param problems - receives script errors, console errors and requests to other origins, as long as the page is open
 */
export async function openPage(
  browser: Browser,
  url: string,
  problems: string[],
  { expectedErrors, ...options }: OpenPageOptions = {},
): Promise<Page> {
  // During a color transition, the contrast differs from the final one.
  const page = await browser.newPage({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    const isExpected = expectedErrors?.test(message.text())
    if (message.type() === 'error' && !isExpected) problems.push(message.text())
  })
  page.on('request', (request) => {
    // A navigation of the visitor, for example to an identity provider, is not a request of the page.
    if (request.isNavigationRequest()) return
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`fetched ${request.url()}`)
  })
  await page.goto(url)
  return page
}

/**
 * Returns the violations that axe-core finds on a page.
 *
 * @param rules - ids of the only rules to run; all of WCAG and best practice if omitted
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = {
    resultTypes: ['violations'],
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  }
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
}

/** Returns the number of pixels by which a page is wider than its window. */
export function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
}
