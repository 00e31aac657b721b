import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@fairlead/toolchains'
import { launchChromium, openPage } from '@fairlead/toolchains/browser'
import type { Page } from 'playwright-core'
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

// Responses that mean "not signed in" or "change rejected".
const expectedErrors = /the server responded with a status of (?:400|401|403|409|412)/

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
  if (chromium() === undefined) return undefined
  await promisify(execFile)(process.execPath, [join(repository, 'packages/console/build-if-stale.ts')])
  const gateway = await serve({ FAIRLEAD_EVM_UPSTREAM: upstream, ...environment })
  const [, email = '', password = ''] = await vi.waitUntil(() => printedOwner.exec(gateway.output()), {
    timeout: 30_000,
    interval: 20,
  })
  const browser = await launchChromium()
  const problems: string[] = []
  return {
    gateway,
    owner: { email, password },
    visit: (path) => openPage(browser, `${gateway.url}${path}`, problems, { expectedErrors }),
    problems: () => problems,
    async close() {
      await browser.close()
      await gateway.remove()
    },
  }
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
