import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromiumArguments, chromium as chromiumPath } from '@fairlead/toolchains'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { vi } from 'vitest'
import { type Served, serve } from '@fairlead/e2e-tests/served'
import { repository } from '@fairlead/e2e-tests/gateway'

/** A gateway with its console, and a browser that opens it. */
export interface ConsoleFixture {
  readonly gateway: Served
  /** The values that the first start printed. `password` is the initial password, which is to be changed. */
  readonly owner: { readonly email: string; readonly password: string }
  /** Opens a page for a new visitor without a session. */
  visit(path: string): Promise<Page>
  /** Errors of all pages so far: script errors and violations of the content security policy. */
  problems(): readonly string[]
  close(): Promise<void>
}

/** The new password of the owner. */
export const chosenPassword = 'a password of the test'

const printedOwner = /e-mail +(\S+)\n +password +(\S+)\n/

/**
 * Starts a gateway in front of an EVM node, and Chromium.
 *
 * @param upstream - URL of the node
 * @param environment - additional environment of the gateway
 * @returns undefined if Chromium is not available
 */
export async function startConsole(
  upstream: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ConsoleFixture | undefined> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) return undefined
  await promisify(execFile)(process.execPath, [join(repository, 'packages/console/build-if-stale.ts')])
  const gateway = await serve({ FAIRLEAD_EVM_UPSTREAM: upstream, ...environment })
  const [, email = '', password = ''] = await vi.waitUntil(() => printedOwner.exec(gateway.output()), {
    timeout: 30_000,
    interval: 20,
  })
  const browser = await chromium.launch({
    executablePath,
    args: chromiumArguments,
  })
  const problems: string[] = []
  return {
    gateway,
    owner: { email, password },
    visit: (path) => openPage(browser, `${gateway.url}${path}`, problems),
    problems: () => problems,
    async close() {
      await browser.close()
      await gateway.remove()
    },
  }
}

async function openPage(browser: Browser, url: string, problems: string[]): Promise<Page> {
  // During a color transition, the contrast differs from the final one.
  const page = await browser.newPage({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    // Responses that mean "not signed in" or "change rejected" are expected.
    const isAnswer = /the server responded with a status of (?:400|401|409|412)/.test(message.text())
    if (message.type() === 'error' && !isAnswer) problems.push(message.text())
  })
  page.on('request', (request) => {
    // A navigation of the visitor, for example to an identity provider, is not a request of the page.
    if (request.isNavigationRequest()) return
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`fetched ${request.url()}`)
  })
  await page.goto(url)
  return page
}

/** Fills in the sign-in form. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Returns a secret that is shown once, by its label, and closes the dialog. */
export async function takeSecret(page: Page, label: string): Promise<string> {
  const dialog = page.getByRole('dialog')
  const entry = dialog.locator('.secret').filter({ hasText: label }).first()
  const secret = await entry.locator('.copy-value .code').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return secret
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
