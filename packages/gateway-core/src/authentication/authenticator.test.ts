import { expect, it, onTestFinished } from 'vitest'
import { sha256Hex } from '../credentials/secret.ts'
import type { CredentialRecord, Grant } from '../grants/grant.ts'
import { createDirectory } from './directory.ts'
import type { HeadState } from '../http/client-address.ts'
import { testAuthenticator } from '../testing/test-authenticator.ts'

function record(change: Partial<Grant> = {}): CredentialRecord {
  const grant = {
    credentialId: 'credential',
    kind: 'token' as const,
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: {},
    ...change,
  }
  return { sha256: sha256Hex('secret'), grant }
}

/** Authenticates repeatedly with the same headers, like a client with a keep-alive connection. */
function sameHead() {
  const directory = createDirectory()
  const { authenticator, admission } = testAuthenticator(directory)
  onTestFinished(() => admission.close())
  const headState: HeadState = {}
  const request = { headers: {}, socket: { remoteAddress: '192.0.2.7' }, headState }
  return {
    directory,
    headState,
    enter: () => authenticator.authenticate('evm', { token: 'secret' }, request),
  }
}

it('remembers what a head opened, for as long as nothing changes', () => {
  const { directory, headState, enter } = sameHead()
  directory.replace([record()])
  const first = enter()
  expect(first).toMatchObject({ credentialId: 'credential' })
  expect(headState.entered?.grant).toBe(first)
  expect(enter()).toBe(first)
})

type Lose = (directory: ReturnType<typeof createDirectory>) => void | Promise<void>

const losses: readonly (readonly [string, Lose])[] = [
  ['everything is read anew', (directory) => directory.replace([])],
  [
    'the credential is named as changed',
    (directory) => directory.change({ nodeIds: [], credentialIds: ['credential'] }, []),
  ],
  ['a reload has not got it', (directory) => directory.reload().end()],
]

it.each(losses)('lets nobody in with a credential that is gone when %s', async (_, lose) => {
  const { directory, enter } = sameHead()
  directory.replace([record()])
  expect(enter()).toMatchObject({ credentialId: 'credential' })
  await lose(directory)
  expect(enter()).toMatchObject({ status: 401 })
})

it('looks at rules anew when they change', () => {
  const { directory, enter } = sameHead()
  directory.replace([record()])
  enter()
  const accessRules = [{ kind: 'ip', value: '192.0.2.7', action: 'deny' }] as const
  directory.change({ nodeIds: ['node'], credentialIds: [] }, [record({ accessRules })])
  expect(enter()).toMatchObject({ status: 403 })
})

it('looks every time at a credential that ends by itself', () => {
  const { directory, headState, enter } = sameHead()
  directory.replace([record({ expiresAt: Date.now() + 60_000 })])
  expect(enter()).toMatchObject({ credentialId: 'credential' })
  expect(headState.entered).toBeUndefined()
})
