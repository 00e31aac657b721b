import { describe, expect, it } from 'vitest'
import { openrpcContract } from './openrpc-contract.ts'
import { openrpcMethods } from './openrpc-methods.ts'
import { derivedOpenApi } from './openrpc-types.ts'
import { typescriptTypes } from './typescript-types.ts'

const schemas = {
  // Contains itself, directly and through a list.
  Frame: {
    title: 'Frame',
    type: 'object',
    required: ['calls'],
    properties: {
      parent: { $ref: '#/components/schemas/Frame' },
      calls: { type: 'array', items: { $ref: '#/components/schemas/Frame' } },
    },
  },
  Hash: { title: 'Hash', type: 'string' },
  Long: { title: 'Long', type: 'object' },
  Short: { title: 'Short', type: 'object' },
}
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function documentOf(...methods: object[]) {
  return { openrpc: '1.3.2', info: { title: 'Test', version: '1.2.3' }, methods, components: { schemas } }
}

const trace = {
  name: 'trace',
  summary: 'Traces.',
  paramStructure: 'by-position',
  params: [
    { name: 'hash', required: true, description: 'Which\n one. */', schema: ref('Hash') },
    { name: 'depth', schema: { type: 'integer' } },
  ],
  result: { name: 'frame', schema: { oneOf: [ref('Frame'), { type: 'null' }] } },
}

describe('openrpcMethods', () => {
  it('generates a tuple for positional parameters, and terminates on a recursive schema', async () => {
    const { methods: text } = await openrpcMethods(documentOf(trace))
    expect(text).toContain('trace: { params: [hash: Hash, depth?: number]; result: Frame | null }')
    expect(text).toContain("import type {\n  Frame,\n  Hash,\n} from './schema.ts'")
    expect(text).toContain('@param hash - Which one. *\\/')
    expect(text).toContain('nonIdempotentMethods: readonly string[] = []')
  })

  it('generates an object for named parameters', async () => {
    const { methods: text } = await openrpcMethods(documentOf({ ...trace, paramStructure: 'by-name' }))
    expect(text).toContain('trace: { params: { hash: Hash; depth?: number }; result: Frame | null }')
    const bare = await openrpcMethods(documentOf({ ...trace, params: [], paramStructure: 'by-name' }))
    expect(bare.methods).toContain('trace: { params: Record<string, never>; result: Frame | null }')
  })

  it('generates one form per overload, with its imports', async () => {
    const method = {
      name: 'get',
      params: [{ name: 'full', required: true, schema: { type: 'boolean' } }],
      result: { name: 'r', schema: ref('Frame') },
      'x-overloads': [
        { when: { full: true }, result: ref('Long') },
        { when: { full: false }, result: { oneOf: [ref('Short'), { type: 'null' }] } },
      ],
    }
    const { methods: text } = await openrpcMethods(documentOf(method))
    expect(text).toContain(`  get: { params: [full: boolean]; result: Frame; overloads:
    | { params: [full: true]; result: Long }
    | { params: [full: false]; result: Short | null }
  }`)
    expect(text).toContain("import type {\n  Frame,\n  Long,\n  Short,\n} from './schema.ts'")
  })

  it('distinguishes overloads by properties of an object', async () => {
    const method = {
      name: 'get',
      params: [
        { name: 'hash', schema: ref('Hash') },
        { name: 'options', schema: ref('Frame') },
      ],
      result: { name: 'r', schema: ref('Frame') },
      'x-overloads': [
        { when: { options: { tracer: 'a', config: { diff: true } } }, result: ref('Long') },
        { when: { options: { tracer: 'a' } }, result: ref('Short') },
        { when: {}, result: ref('Hash') },
      ],
    }
    const { methods: text, actions } = await openrpcMethods(documentOf(method))
    expect(text).toContain(`overloads:
    | { params: [hash: Hash, options: Frame & { tracer: "a"; config: { diff: true } }]; result: Long }
    | { params: [hash: Hash, options: Frame & { tracer: "a"; config?: { diff?: false } }]; result: Short }
    | { params: [hash?: Hash, options?: Frame & { tracer?: undefined; config?: { diff?: false } }]; result: Hash }`)
    expect(actions).toContain(
      'export function get(client: ActionClient, hash?: Hash, options?: Frame): Promise<Frame>\n',
    )
  })

  it('generates an action with its comment only for methods with positional parameters', async () => {
    const result = { ...trace.result, description: 'What\nwas found.' }
    const { actions } = await openrpcMethods(documentOf({ ...trace, result, deprecated: true }))
    expect(actions).toContain(`
/**
 * Traces.
 *
 * @param hash - Which one. *\\/
 * @param depth
 * @returns What was found.
 * @deprecated
 */
export function trace(client: ActionClient, hash: Hash, depth?: number): Promise<Frame | null>
export function trace(client: ActionClient, ...params: unknown[]): Promise<unknown> {
  return call(client, 'trace', params)
}
`)
    const byName = await openrpcMethods(documentOf({ ...trace, paramStructure: 'by-name' }))
    expect(byName.actions).toBeUndefined()
  })

  it('generates the subscriptions', async () => {
    const kinds = {
      heads: { summary: 'New heads.', notification: { $ref: '../x.yaml#/Frame' } },
      logs: { summary: 'Logs.', options: ref('Long'), notification: { oneOf: [ref('Hash'), ref('Short')] } },
    }
    const document = documentOf({ ...trace, 'x-subscriptions': kinds })
    const { methods: text, actions } = await openrpcMethods(document)
    expect(text).toContain('/** New heads. */\n  heads: { options: undefined; notification: Frame }')
    expect(text).toContain('logs: { options: Long; notification: Hash | Short }')
    expect(actions).not.toContain('export function')
    expect(openrpcContract(document, 'test')).toContain('$ref: "test#/components/schemas/Frame"')
  })

  it('distinguishes a name from a string that looks like one', async () => {
    const schema = { anyOf: [{ enum: ['Latest', 'a"B'] }, ref('Hash')] }
    const { methods: text } = await openrpcMethods(
      documentOf({ ...trace, params: [{ name: 'at', schema }], result: { name: 'r', schema: ref('Long') } }),
    )
    expect(text).toContain('at?: "Latest" | "a\\"B" | Hash')
    expect(text).toContain("import type {\n  Hash,\n  Long,\n} from './schema.ts'")
  })

  it('lists the methods that are not idempotent', async () => {
    const { methods: text } = await openrpcMethods(
      documentOf(trace, { ...trace, name: 'send', 'x-idempotent': false }),
    )
    expect(text).toContain('nonIdempotentMethods: readonly string[] = ["send"]')
  })

  it('reports the location of invalid OpenRPC', async () => {
    const broken = { ...trace, params: [{ name: 'hash' }] }
    await expect(openrpcMethods(documentOf(trace, broken))).rejects.toThrow(
      /^not a valid OpenRPC document\n {2}methods\[1\]\.params\[0\] \(trace\): should have required property 'schema'$/,
    )
    await expect(openrpcMethods(documentOf({ ...trace, paramz: [] }))).rejects.toThrow(
      'methods[0] (trace): should NOT have additional properties: paramz',
    )
    await expect(openrpcMethods({ ...documentOf(trace), info: { title: 'Test' } })).rejects.toThrow(
      "info: should have required property 'version'",
    )
  })
})

describe('the other files of an OpenRPC document', () => {
  it('terminate on a recursive schema', async () => {
    const types = await typescriptTypes(derivedOpenApi(documentOf(trace)))
    expect(types).toContain('calls: components["schemas"]["Frame"][]')
    const contract = openrpcContract(documentOf(trace), 'test')
    expect(contract).toContain('$ref: "test#/components/schemas/Frame"')
    expect(contract).toContain('specVersion = "1.2.3"')
  })

  it('have the parameter structure, and treat a call as idempotent unless marked', () => {
    const byName = { ...trace, name: 'byName', paramStructure: 'by-name', 'x-idempotent': false }
    const contract = openrpcContract(documentOf(trace, byName), 'test')
    const lines = contract.split('\n').filter((line) => /paramStructure|idempotent/.test(line))
    expect(lines.map((line) => line.trim())).toEqual([
      'paramStructure: "by-name",',
      'idempotent: false,',
      'paramStructure: "by-position",',
      'idempotent: true,',
    ])
  })
})

describe('the chains of a document', () => {
  const chain = { chain: 'x', path: 'evm', networks: { main: '0x1' }, finality: { model: 'instant' } }
  const methods = ['b', 'a', 'c', 'd'].map((name) => ({
    ...trace,
    name,
    tags: [{ name: name === 'd' ? 'other' : 'block' }],
  }))

  it('become lists of methods', () => {
    const file = { ...chain, methods: { tags: ['block'], withhold: ['b'], add: ['d'] } }
    const contract = openrpcContract(documentOf(...methods), 'test', [file])
    expect(contract).toContain(`export const chains = {
  x: {
    path: "evm",
    networks: {
      main: "0x1"
    },
    finality: "instant",
    methods: [
      "a",
      "c",
      "d"
    ]
  }
} as const satisfies Readonly<Record<string, Chain>>`)
  })

  it('may not reference unknown methods or tags', () => {
    const file = { ...chain, methods: { tags: ['block', 'blok'], withhold: ['e'] } }
    expect(() => openrpcContract(documentOf(...methods), 'test', [file])).toThrow(
      'chain x: no method or tag is named blok, e',
    )
  })
})
