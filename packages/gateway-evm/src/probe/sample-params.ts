import type { JsonSchema, Method } from '@fairlead/core'
import { schemas } from '@fairlead/evm-rpc/contract'
import { type ChainSample, zeroHash } from './read-sample.ts'

const components: Readonly<Record<string, JsonSchema>> = schemas

/**
 * Generates params for a method from its schemas and from values of the chain: required params, and those with a
 * default, because some upstreams require them.
 *
 * @param method - method of the specification
 * @param sample - values that exist on the chain
 */
export function sampleParams(method: Method, sample: ChainSample): unknown[] {
  const params: unknown[] = []
  for (const { name, required, schema } of method.params) {
    const isTracing = name === 'options' && method.name.startsWith('debug_')
    if (!required && !isTracing && isOmitted(schema)) break
    params.push(isTracing ? tracing : valueOf(schema, name, sample))
  }
  return params
}

// The default tracer records every step. This one records only calls.
const tracing = { tracer: 'callTracer', timeout: '5s' }

// A false flag is omitted too: it has no effect, and some upstreams do not support it.
function isOmitted(schema: JsonSchema): boolean {
  const value = schema['default']
  return value === undefined || value === false
}

type Make = (name: string, sample: ChainSample) => unknown

// Components that are more specific than their schema, or whose smallest value would be an expensive query.
const values: Readonly<Record<string, Make>> = {
  Address: (_, { address }) => address,
  BlockId: (_, { block }) => block.number,
  // Block explorers send a JSON number, and some upstreams accept nothing else.
  BlockNumberInput: (_, { block }) => Number(block.number),
  BlockNumberOrTag: (_, { block }) => block.number,
  Bytes: () => '0x00',
  // Full length, because not every upstream pads a shorter value.
  BytesMax32: () => zeroHash,
  // A sender of transactions has no code that could reject the call.
  CallRequest: (_, { transaction }) => ({ to: transaction.sender, data: '0x' }),
  Filter: (_, { block }) => ({ fromBlock: block.number, toBlock: block.number }),
  FilterId: () => '0x1',
  Hash32: (name, { block, transaction }) => {
    if (/block/i.test(name)) return block.hash
    return /^(hash|tx|tx_?hash|transaction(_?hash)?)$/i.test(name) ? transaction.hash : zeroHash
  },
  Quantity: (name, { block, transaction }) => {
    if (/block/i.test(name) && !/count/i.test(name)) return block.number
    if (/timestamp/i.test(name)) return block.timestamp
    if (/nonce/i.test(name)) return transaction.nonce
    return /count|limit|size|max/i.test(name) ? '0x1' : '0x0'
  },
  SubscriptionId: () => '0x1',
  TraceFilter: (_, { block }) => ({ fromBlock: block.number, toBlock: block.number, count: 1 }),
  TracedCall: (_, { transaction }) => [{ to: transaction.sender, data: '0x' }, ['trace']],
  TraceTypes: () => ['trace'],
  TypedData: () => ({ types: { EIP712Domain: [] }, primaryType: 'EIP712Domain', domain: {}, message: {} }),
}

/**
 * Returns the smallest value that a schema allows. It comes from the chain where the schema or the name identifies it.
 */
function valueOf(schema: JsonSchema, name: string, sample: ChainSample): unknown {
  if (schema['default'] !== undefined) return schema['default']
  if (schema['const'] !== undefined) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const component = componentOf(schema)
  if (component !== undefined) {
    return values[component]?.(name, sample) ?? valueOf(components[component] ?? {}, name, sample)
  }
  const [first] = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => schemasIn(schema[key]))
  if (Array.isArray(schema['allOf']) && schema['allOf'].length > 1) {
    const parts = schemasIn(schema['allOf']).map((part) => valueOf(part, name, sample))
    return Object.assign({}, ...parts) as unknown
  }
  if (first) return valueOf(first, name, sample)
  return primitiveValue(schema, name, sample)
}

function primitiveValue(schema: JsonSchema, name: string, sample: ChainSample): unknown {
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  switch (type) {
    case 'array':
      return arrayOf(schema, name, sample)
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return smallest(schema, name)
    case 'string':
      return stringOf(schema, name, sample)
    case 'object':
      return objectOf(schema, name, sample)
    default:
      return null
  }
}

function arrayOf(schema: JsonSchema, name: string, sample: ChainSample): unknown[] {
  const prefix = schemasIn(schema['prefixItems'])
  if (prefix.length > 0) return prefix.map((item) => valueOf(item, name, sample))
  const { items } = schema
  return isSchema(items) ? [valueOf(items, name, sample)] : []
}

function objectOf(schema: JsonSchema, name: string, sample: ChainSample): unknown {
  const {
    required,
    properties = {},
    propertyNames,
    additionalProperties,
  } = schema as {
    readonly required?: readonly string[]
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly propertyNames?: JsonSchema
    readonly additionalProperties?: unknown
  }
  if (propertyNames && isSchema(additionalProperties)) {
    const key = valueOf(propertyNames, name, sample) as string
    return { [key]: valueOf(additionalProperties, name, sample) }
  }
  const entries = (required ?? []).map((key) => [key, valueOf(properties[key] ?? {}, key, sample)] as const)
  return Object.fromEntries(entries)
}

function smallest({ minimum }: JsonSchema, name: string): number {
  const lowest = typeof minimum === 'number' ? minimum : 0
  return /size|count|limit|max/i.test(name) ? Math.max(1, lowest) : lowest
}

function stringOf({ pattern }: JsonSchema, name: string, sample: ChainSample): string {
  if (/hash$/i.test(name)) return /block/i.test(name) ? sample.block.hash : sample.transaction.hash
  const digits = typeof pattern === 'string' ? /\{(\d+)\}\$$/.exec(pattern)?.[1] : undefined
  return digits === undefined ? '0x0' : `0x${'0'.repeat(Number(digits))}`
}

function componentOf(schema: JsonSchema): string | undefined {
  const reference = schema['$ref']
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined
}

function schemasIn(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
