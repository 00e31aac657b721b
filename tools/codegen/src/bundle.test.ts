import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle, bundleWithPolicies } from './bundle.ts'
import { specsRoot } from './families.ts'
import { componentSchemas } from './openrpc-types.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-bundle-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const pair = {
  title: 'Pair',
  type: 'array',
  prefixItems: [{ type: 'string' }, { $ref: 'Cell.json' }],
  minItems: 2,
  maxItems: 2,
}

async function bundled(schemas: Readonly<Record<string, object>>) {
  for (const [name, schema] of Object.entries(schemas))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(schema))
  const result = { name: 'pair', schema: { $ref: 'Pair.json' } }
  const methods = [{ name: 'get', params: [], result }]
  const document = { openrpc: '1.3.2', info: { title: 'Test', version: '1.0.0' }, methods }
  await writeFile(join(folder, 'openrpc.json'), JSON.stringify(document))
  return bundle(join(folder, 'openrpc.json'))
}

describe('bundle', () => {
  it('bundles references in the tuples of an OpenRPC document', async () => {
    const schemas = componentSchemas(await bundled({ Pair: pair, Cell: { title: 'Cell', type: 'object' } }))
    expect(Object.keys(schemas).toSorted()).toEqual(['Cell', 'Pair'])
    expect(schemas['Pair']?.['prefixItems']).toEqual([
      { type: 'string' },
      { $ref: '#/components/schemas/Cell' },
    ])
  })

  it('reports an unresolved reference', async () => {
    const unresolved = { ...pair, prefixItems: [{ $ref: 'Missing.json' }] }
    await expect(bundled({ Pair: unresolved })).rejects.toThrow(
      /the files cannot be joined\n.*Missing\.json/s,
    )
  })

  it.each(['beacon/openapi.yaml', 'evm/openrpc.yaml', 'jetton/v2.openapi.yaml'])(
    'omits the policies of the gateway from %s',
    async (entry) => {
      const path = join(specsRoot, entry)
      expect(JSON.stringify(await bundleWithPolicies(path))).toContain('x-gateway')
      expect(JSON.stringify(await bundle(path))).not.toContain('x-gateway')
    },
  )
})
