import { execFileSync } from 'node:child_process'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureFirstStart } from '../first-start/first-start.ts'
import { maxRules, putAccessRule } from '../records/access-rules.ts'
import { putLimits } from '../records/limits.ts'
import { issueNodeCredential } from '../records/node-credentials.ts'
import { setNodeUpstreams } from '../endpoints/set-upstreams.ts'
import { describeInOrder } from '../testing/describe-in-order.ts'
import type { TemporaryDatabase } from '../testing/temporary-store.ts'
import { loadNodeCredentials } from './load-node-credentials.ts'
import { type Store, openStore } from './open-store.ts'
import { protocols } from '../testing/protocols.ts'

const dumpProgram = ['pg', 'dump'].join('_')
const upstreams = { evm: 'https://user:c4n4ry@node.example/c4n4ry' }

describeInOrder('stored upstreams and rules of a node', (create) => {
  let database: TemporaryDatabase
  let store: Store
  let ids: { readonly nodeId: string; readonly projectId: string }
  beforeAll(async () => {
    database = await create()
    store = await database.open()
    ids = await ensureFirstStart(store, { protocols, upstreams })
  }, 60_000)
  afterAll(() => database.remove())

  it('are shared by the grants of all credentials of the node', async () => {
    const { nodeId, projectId } = ids
    const [ofNode, ofProject, ofCredential] = [
      { rate: { requestsPerSecond: 5, burst: 10 } },
      { unitsPerMonth: 1_000 },
      { maxBatchItems: 7 },
    ]
    const rules = [
      { kind: 'ip', value: '10.0.0.0/8', action: 'allow' },
      { kind: 'method', value: 'debug_*', action: 'deny' },
    ] as const
    for (const rule of rules) await putAccessRule(store.db, { nodeId, ...rule })
    await putAccessRule(store.db, {
      nodeId,
      kind: 'origin',
      value: '*.example',
      action: 'deny',
      active: false,
    })
    await putLimits(store.db, { kind: 'node', id: nodeId }, ofNode)
    await putLimits(store.db, { kind: 'project', id: projectId }, ofProject)
    const { id } = await issueNodeCredential(store.db, { nodeId, kind: 'token', origin: 'user' })
    await putLimits(store.db, { kind: 'credential', id }, ofCredential)

    const grants = (await loadNodeCredentials(store.db, store.encryptor)).map(({ grant }) => grant)
    const ownGrant = grants.find(({ credentialId }) => credentialId === id)
    const [first, second] = grants.filter(({ credentialId }) => credentialId !== id)
    expect(first).toMatchObject({
      upstreams,
      accessRules: rules,
      limits: { node: ofNode, project: ofProject },
    })
    expect(ownGrant?.limits).toEqual({ node: ofNode, project: ofProject, credential: ofCredential })
    for (const name of ['upstreams', 'accessRules', 'protocols', 'limits'] as const) {
      expect(second?.[name]).toBe(first?.[name])
      if (name !== 'limits') expect(ownGrant?.[name]).toBe(first?.[name])
    }
    const only = async (scope: { nodeIds: string[]; credentialIds: string[] }) =>
      (await loadNodeCredentials(store.db, store.encryptor, scope)).map(({ grant }) => grant.credentialId)
    expect(await only({ nodeIds: [], credentialIds: [id, 'CR-none'] })).toEqual([id])
    expect(await only({ nodeIds: [nodeId], credentialIds: [] })).toHaveLength(grants.length)
    expect(await only({ nodeIds: [], credentialIds: [] })).toEqual([])
  })

  it('have one rule per value, and a maximum number per kind', async () => {
    const { nodeId } = ids
    await store.db.deleteFrom('access_rules').execute()
    const rule = (value: string, action: 'allow' | 'deny' = 'allow') =>
      putAccessRule(store.db, { nodeId, kind: 'origin', value, action })
    const first = await rule('a.example')
    expect(first).toMatch(/^AR-/)
    expect(await rule('a.example', 'deny')).toBe(first)
    const others = await Promise.all(
      Array.from({ length: maxRules + 4 }, (_, index) => rule(`${index}.example`)),
    )
    expect(others.filter((id) => id === undefined)).toHaveLength(5)
    expect(await rule('a.example')).toBe(first)
    expect(await putAccessRule(store.db, { nodeId, kind: 'ip', value: '::1', action: 'deny' })).toMatch(
      /^AR-/,
    )
    expect(
      await putAccessRule(store.db, { nodeId: 'ND-none', kind: 'ip', value: '::1', action: 'deny' }),
    ).toBeUndefined()
  })

  it('do not contain URLs in plain text', async () => {
    await setNodeUpstreams({ ...store, protocols }, ids.nodeId, {
      network: 'n',
      protocols: ['evm'],
      upstreams: { evm: 'https://c4n4ry.example' },
    })
    const { databaseUrl, dataDirectory } = database
    if (databaseUrl === undefined) {
      await store.close()
      const canaries = await filesWith('c4n4ry', join(dataDirectory, 'control'))
      store = await database.open()
      expect(canaries).toEqual([])
    } else if (isInstalled(dumpProgram)) {
      const dump = execFileSync(dumpProgram, [databaseUrl], { encoding: 'utf8' })
      expect(dump).toContain(ids.nodeId)
      expect(dump).not.toContain('c4n4ry')
    }
  })

  it('cannot be read by a process with another key', { timeout: 60_000 }, async () => {
    const { databaseUrl, dataDirectory } = database
    await store.close()
    const withWrongKey = openStore({ dataDirectory, databaseUrl, secretKey: 'ab'.repeat(32) })
    await expect(withWrongKey).rejects.toMatchObject({ code: 'STORE_KEY' })
    const file = join(dataDirectory, 'secret.key')
    await rename(file, `${file}.kept`)
    const withoutKey = openStore({ dataDirectory, databaseUrl })
    await expect(withoutKey).rejects.toThrow(
      '[STORE_KEY] The database was encrypted with another secret key.',
    )
    await rm(file)
    const secretKey = (await readFile(`${file}.kept`, 'utf8')).trim()
    const withKey = await openStore({ dataDirectory, databaseUrl, secretKey })
    expect(await loadNodeCredentials(withKey.db, withKey.encryptor)).not.toEqual([])
    await withKey.close()
  })
})

async function filesWith(text: string, directory: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name)
    if ((await stat(path)).isFile() && (await readFile(path)).includes(text)) found.push(name)
  }
  return found
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'])
    return true
  } catch {
    return false
  }
}
