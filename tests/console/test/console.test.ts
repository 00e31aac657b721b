import { readFile } from 'node:fs/promises'
import {
  type IdentityProvider,
  identityProvider,
  oidcClient,
} from '@fairlead/platform-server/testing/identity-provider'
import {
  isSignedWith,
  startReceiver,
  type WebhookReceiver,
} from '@fairlead/platform-server/testing/webhook-receiver'
import { violations } from '@fairlead/toolchains/browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { chosenPassword, type ConsoleFixture, signIn, startConsole, takeSecret } from './console-fixture.ts'

const upstream = inject('development').nodes[0]

// The tests run in order, as the first hours of a user do: each continues from the state that the previous one left.
let fixture: ConsoleFixture | undefined
let page: Page
let provider: IdentityProvider
let receiver: WebhookReceiver
beforeAll(async () => {
  provider = await identityProvider(() => `${served().gateway.url}/v1/session/oidc/callback/`)
  receiver = await startReceiver()
  fixture = await startConsole(`${upstream.node_url}/${upstream.token}`, {
    FAIRLEAD_OIDC_ISSUER: provider.issuer,
    FAIRLEAD_OIDC_ALLOW_LOOPBACK_HTTP: 'true',
    FAIRLEAD_OIDC_CLIENT_ID: oidcClient.clientId,
    FAIRLEAD_OIDC_CLIENT_SECRET: oidcClient.clientSecret,
    FAIRLEAD_OIDC_NAME: 'Breakwater',
    FAIRLEAD_PRIVATE_WEBHOOK_TARGETS: 'true',
  })
  if (fixture) page = await fixture.visit('/console/')
})
afterAll(async () => {
  await fixture?.close()
  await provider.close()
  await receiver.close()
})
beforeEach(({ skip }) => {
  if (!fixture) skip('no Chromium is installed; CHROMIUM names one')
})

function served(): ConsoleFixture {
  if (!fixture) throw new Error('there is no gateway')
  return fixture
}

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

// The total size of the loaded scripts.
const scriptBytes = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

async function blockNumber(token: string): Promise<number> {
  const response = await fetch(`${served().gateway.url}/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  })
  await response.arrayBuffer()
  return response.status
}

// The steps depend on each other: each starts where the previous one ended.
describe('the console', { shuffle: false }, () => {
  describe('first use', () => {
    let token: string

    it('requires a new password at the first sign-in', async () => {
      const { owner } = served()
      await heading('Sign in')
      expect(await page.evaluate(scriptBytes)).toBeLessThan(100_000)
      await signIn(page, owner.email, 'not the password')
      await page.getByRole('alert').getByText(/\w/).waitFor()
      await signIn(page, owner.email, owner.password)
      await heading('Choose a password')
      await page.getByLabel('Current password').fill(owner.password)
      await page.getByLabel('New password', { exact: true }).fill(chosenPassword)
      await page.getByLabel('Confirm new password').fill('another one')
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('The passwords do not match.').waitFor()
      expect(await page.evaluate('document.activeElement.name')).toBe('repeated')
      await page.getByLabel('Confirm new password').fill(chosenPassword)
      await page.getByRole('button', { name: 'Change password' }).click()
      await heading('Overview')
    })

    it('creates a node and sends a first call', async () => {
      await page.getByRole('link', { name: 'New node' }).click()
      await heading('New node')
      await page.getByLabel('Name').fill('Explorer')
      await page.getByRole('button', { name: 'Create node' }).click()
      token = await takeSecret(page, 'Token')
      await heading('Explorer')
      await page.getByRole('link', { name: 'Try it' }).click()
      await heading('Playground')
      await page.getByRole('button', { name: /^Use / }).click()
      await vi.waitFor(async () => expect(await page.getByLabel('Token').inputValue()).toBe(token), {
        timeout: 20_000,
      })
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('HTTP 200').waitFor()
      expect(await page.getByLabel('Response body').innerText()).toMatch(/"result": "0x[0-9a-f]+"/)
    })

    it('sends a call with a form that is generated from the specification', async () => {
      await page.getByLabel('Method').selectOption('eth_getBalance')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('This field is required.').waitFor()
      await page.getByLabel('address').fill('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('HTTP 200').waitFor()
    })

    it('issues a credential, rotates it, and revokes it within a second', async () => {
      await page.getByRole('link', { name: 'Nodes', exact: true }).click()
      await page.getByRole('link', { name: 'Explorer' }).click()
      await page.getByRole('link', { name: 'Credentials' }).click()
      await page.getByRole('button', { name: 'New credential' }).click()
      await page.getByLabel('Label').fill('Backend')
      await page.getByRole('button', { name: 'Create credential' }).click()
      const first = await takeSecret(page, 'Token')
      await vi.waitFor(async () => expect(await blockNumber(first)).toBe(200), { timeout: 20_000 })
      await page.getByRole('button', { name: 'Rotate Backend' }).click()
      await page.getByLabel('Keep the old secret valid for').selectOption('0')
      await page.getByRole('button', { name: 'Rotate', exact: true }).click()
      const second = await takeSecret(page, 'Token')
      const withinASecond = { timeout: 1_000, interval: 50 }
      await vi.waitFor(async () => expect(await blockNumber(first)).toBe(401), withinASecond)
      expect(await blockNumber(second)).toBe(200)
      await page.getByRole('button', { name: 'Revoke Backend' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('Credential revoked').waitFor()
      await vi.waitFor(async () => expect(await blockNumber(second)).toBe(401), withinASecond)
      expect(await blockNumber(token)).toBe(200)
    })

    it('does not overwrite changes of another session', async () => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Mine')
      const id = new URL(page.url()).pathname.split('/')[3]
      const { gateway } = served()
      const response = await fetch(`${gateway.url}/v2/nodes/${id}/`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
        body: '{"name":"Theirs"}',
      })
      expect(response.status).toBe(200)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Reload' }).click()
      await vi.waitFor(
        async () => expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Theirs'),
        { timeout: 20_000 },
      )
      await page.getByRole('dialog').getByLabel('Name').fill('Explorer')
      await page.getByRole('button', { name: 'Save' }).click()
      await heading('Explorer')
    })

    it('shows validation errors of the gateway at their fields', async () => {
      await page.getByRole('link', { name: 'Access rules' }).click()
      await page.getByRole('button', { name: 'New rule' }).click()
      await page.getByLabel('Kind').selectOption('ip')
      await page.getByLabel('Value').fill('not an address')
      await page.getByRole('button', { name: 'Create rule' }).click()
      await page.locator('[aria-invalid="true"]:focus').waitFor()
      const described = await page.getByLabel('Value').getAttribute('aria-describedby')
      expect(described).toContain('-error')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.locator(':focus', { hasText: /^New rule$/ }).waitFor()
    })

    it('invites a viewer, who sees the pages without write actions', async () => {
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByRole('button', { name: 'Invite member' }).click()
      await page.getByLabel('E-mail').fill('tomas@example.test')
      await page.getByLabel('Role').selectOption('viewer')
      await page.getByRole('button', { name: 'Create invitation' }).click()
      const address = new URL(await takeSecret(page, 'Invitation link'))
      const guest = await served().visit(`${address.pathname}${address.hash}`)
      await guest.getByLabel('First name').fill('Tomas')
      await guest.getByLabel('Last name').fill('Lind')
      await guest.getByLabel('Password').fill(chosenPassword)
      expect(guest.url()).not.toContain('#')
      await guest.getByRole('button', { name: 'Join' }).click()
      await guest.getByRole('link', { name: 'Nodes', exact: true }).click()
      await guest.getByRole('link', { name: 'Explorer' }).click()
      await guest.getByRole('link', { name: 'Credentials' }).click()
      await guest.getByRole('cell', { name: 'active' }).first().waitFor()
      expect(await guest.getByRole('button', { name: /Edit|New|Rotate|Revoke|Delete/ }).count()).toBe(0)
      expect(await guest.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
      await guest.goto(`${served().gateway.url}/console/audit-log`)
      await guest.getByRole('heading', { name: 'You do not have access' }).waitFor()
      await guest.close()
    })

    it('leads to a new sign-in when a change requires a recent one, and back to the page', async () => {
      const { owner, gateway } = served()
      await goTo(page, `${gateway.url}/console/members`)
      await page.getByRole('button', { name: 'Edit tomas@example.test' }).click()
      await page.getByLabel('E-mail').fill('tomas.lind@example.test')
      // What the gateway returns five minutes after the sign-in.
      const error = { code: 'recent_sign_in_required', message: 'Sign in again: c4n4ry', request_id: 'x' }
      await page.route('**/v1/organization/members/*/', (route) =>
        route.request().method() === 'PATCH'
          ? route.fulfill({ status: 403, json: { error } })
          : route.fallback(),
      )
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('c4n4ry').waitFor()
      await page.unrouteAll()
      await page.getByRole('button', { name: 'Sign in again' }).click()
      await page.getByText('Sign in again, then repeat the change.').waitFor()
      const atProvider = page.getByRole('link', { name: 'Sign in with Breakwater' })
      expect(await atProvider.getAttribute('href')).toMatch(/\?prompt=login$/)
      await signIn(page, owner.email, chosenPassword)
      await heading('Members')
      await page.getByRole('button', { name: 'Edit tomas@example.test' }).click()
      await page.getByLabel('E-mail').fill('tomas.lind@example.test')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Edit tomas.lind@example.test' }).waitFor()
    })

    it('exports the same figures as CSV', async () => {
      const { gateway } = served()
      await vi.waitFor(async () => expect(await gateway.reportedCalls()).toBeGreaterThan(3), {
        timeout: 30_000,
      })
      await page.getByRole('link', { name: 'Usage' }).click()
      await page.getByLabel('Method').check()
      const balances = page.getByRole('row').filter({ hasText: 'eth_getBalance' })
      await balances.getByRole('cell', { name: /^[\d.,]+ ms$/ }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download CSV' }).click(),
      ])
      const [head = '', ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
      const { searchParams } = new URL(download.url())
      const response = await fetch(`${gateway.url}/v2/reporting/node-usage/?${searchParams.toString()}`, {
        headers: { authorization: `Bearer ${gateway.apiKey}` },
      })
      const { results } = (await response.json()) as {
        results: readonly Record<string, string | number | null>[]
      }
      const rows = results.map((row) =>
        head
          .split(',')
          .map((name) => String(row[name] ?? ''))
          .join(','),
      )
      expect(lines).toEqual(rows)
    })

    it('shows the latency chart', async () => {
      await page.getByRole('link', { name: 'Overview' }).click()
      const figure = page.locator('.figure').filter({ hasText: 'Mean latency' })
      await figure.getByText(/^[\d.,]+ ms$/).waitFor()
      const chart = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Latency' }) })
      await chart.getByText('Show as table').click()
      await chart
        .getByRole('cell', { name: /^[\d.,]+$/ })
        .first()
        .waitFor()
    })

    it('sends webhook deliveries and resends one', async () => {
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await page.getByRole('button', { name: 'New webhook' }).first().click()
      await page.getByLabel('URL', { exact: true }).fill(receiver.url)
      await page.getByLabel('Upstream down').check()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      const secret = await takeSecret(page, 'Signing secret')
      await page.getByRole('link', { name: receiver.url }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('Test event delivered').waitFor()
      await page.getByRole('button', { name: 'Resend webhook.test' }).click()
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2), { timeout: 20_000 })
      expect(receiver.received.map((request) => isSignedWith(secret, request))).toEqual([true, true])
      await page.getByRole('link', { name: 'Audit log' }).click()
      await page.getByRole('cell', { name: 'webhook.resend' }).waitFor()
    })

    it('signs in users of the identity provider, and shows an error to others', async () => {
      const visitor = await served().visit('/console/')
      const goThrough = (email: string) => {
        provider.account = { id: email, email, verified: true }
        return visitor.getByRole('link', { name: 'Sign in with Breakwater' }).click()
      }
      await goThrough('unknown@example.test')
      await visitor.getByRole('alert').getByText('Sign-in with Breakwater failed').waitFor()
      expect(visitor.url()).not.toContain('#')
      await visitor.context().clearCookies()
      await goThrough(served().owner.email)
      await visitor.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await visitor.close()
    })

    it('returns to the same page after the session has expired', async () => {
      const { owner } = served()
      await page.getByRole('link', { name: 'API keys' }).click()
      await heading('API keys')
      // A request that is still in flight would end the session on this page.
      await page.getByRole('table', { name: 'API keys' }).waitFor()
      await page.context().clearCookies()
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await page.getByText('Your session has ended.').waitFor()
      await signIn(page, owner.email, chosenPassword)
      await heading('Webhooks')
    })
  })

  describe('every page', () => {
    const paths = [
      '',
      'projects',
      'projects/{project}',
      'nodes',
      'nodes/new',
      'nodes/{node}',
      'nodes/{node}/credentials',
      'nodes/{node}/rules',
      'nodes/{node}/limits',
      'nodes/{node}/methods',
      'nodes/{node}/upstreams',
      'playground?node={node}',
      'usage',
      'members',
      'api-keys',
      'webhooks',
      'audit-log',
      'account',
      'nothing',
    ]

    it('is accessible, in both color schemes, and on a narrow screen', async () => {
      const { gateway } = served()
      const headers = { authorization: `Bearer ${gateway.apiKey}` }
      const response = await fetch(`${gateway.url}/v2/nodes/?name=Explorer`, { headers })
      const { results } = (await response.json()) as {
        results: readonly { readonly id: string; readonly project: { readonly id: string } }[]
      }
      const found: string[] = []
      for (const path of paths) {
        const place = path
          .replace('{node}', results[0]?.id ?? '')
          .replace('{project}', results[0]?.project.id ?? '')
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.emulateMedia({ colorScheme: 'light' })
        await goTo(page, `${gateway.url}/console/${place}`)
        found.push(...(await violations(page)).map((one) => `${path} ${one}`))
        await page.emulateMedia({ colorScheme: 'dark' })
        found.push(...(await violations(page, ['color-contrast'])).map((one) => `${path}, dark: ${one}`))
        await page.setViewportSize({ width: 360, height: 780 })
        // Charts resize after the page does.
        const fits = await page
          .waitForFunction('innerWidth === 360 && document.documentElement.scrollWidth === 360', undefined, {
            timeout: 10_000,
          })
          .catch(() => undefined)
        if (!fits) {
          const width = await page.evaluate('document.documentElement.scrollWidth')
          found.push(`${path} is ${String(width)} wide at 360`)
        }
      }
      expect(found).toEqual([])
    })

    it('is accessible before the sign-in', async () => {
      const visitor = await served().visit('/console/')
      await visitor.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(await violations(visitor)).toEqual([])
      await visitor.goto(`${served().gateway.url}/console/invitation#token`)
      await visitor.getByRole('heading', { name: 'Join the organization' }).waitFor()
      expect(await violations(visitor)).toEqual([])
      await visitor.close()
    })

    it('complies with the content security policy, without errors, and sends requests only to the gateway', () => {
      expect(served().problems()).toEqual([])
    })

    it('is reachable by keyboard, and focus moves to the heading of a new page', async () => {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(`${served().gateway.url}/console/projects`)
      await heading('Projects')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
      await page.getByRole('link', { name: 'Members' }).focus()
      await page.keyboard.press('Enter')
      await heading('Members')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Members')
      expect(await page.title()).toBe('Members · Fairlead')
    })

    it('stores no secret in the browser', async () => {
      expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')
    })
  })
})

/** Opens a page and waits until it is complete. */
async function goTo(target: Page, url: string): Promise<void> {
  await target.goto(url)
  await target.getByRole('heading', { level: 1 }).waitFor()
  const unfinished = target.locator('.skeleton, [aria-busy="true"]')
  await vi.waitFor(async () => expect(await unfinished.count()).toBe(0), { timeout: 20_000 })
}
