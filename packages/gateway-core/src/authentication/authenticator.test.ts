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
    authenticate: () => authenticator.authenticate('evm', { token: 'secret' }, request),
  }
}

it('caches the result for a header until a change', () => {
  const { directory, headState, authenticate } = sameHead()
  directory.replace([record()])
  const first = authenticate()
  expect(first).toMatchObject({ credentialId: 'credential' })
  expect(headState.entered?.grant).toBe(first)
  expect(authenticate()).toBe(first)
})

type Lose = (directory: ReturnType<typeof createDirectory>) => void | Promise<void>

const losses: readonly (readonly [string, Lose])[] = [
  ['all records are replaced', (directory) => directory.replace([])],
  [
    'the credential is named as changed',
    (directory) => directory.change({ nodeIds: [], credentialIds: ['credential'] }, []),
  ],
  ['a reload has not got it', (directory) => directory.reload().end()],
]

it.each(losses)('rejects a credential that is no longer valid when %s', async (_, lose) => {
  const { directory, authenticate } = sameHead()
  directory.replace([record()])
  expect(authenticate()).toMatchObject({ credentialId: 'credential' })
  await lose(directory)
  expect(authenticate()).toMatchObject({ status: 401 })
})

it('evaluates rules again when they change', () => {
  const { directory, authenticate } = sameHead()
  directory.replace([record()])
  authenticate()
  const accessRules = [{ kind: 'ip', value: '192.0.2.7', action: 'deny' }] as const
  directory.change({ nodeIds: ['node'], credentialIds: [] }, [record({ accessRules })])
  expect(authenticate()).toMatchObject({ status: 403 })
})

it('evaluates an expiring credential on every request', () => {
  const { directory, headState, authenticate } = sameHead()
  directory.replace([record({ expiresAt: Date.now() + 60_000 })])
  expect(authenticate()).toMatchObject({ credentialId: 'credential' })
  expect(headState.entered).toBeUndefined()
})
