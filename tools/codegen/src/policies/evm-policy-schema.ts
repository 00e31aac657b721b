import { costSchema } from './read-policy.ts'

/** The policy of a method, as `specs/evm/methods` has it. */
export interface EvmPolicy {
  readonly latencyClass: 'short' | 'long'
  readonly cost: { readonly units: number; readonly isExpensive: boolean }
  readonly role: 'full' | 'archive' | 'debug' | 'trace'
  readonly blocks?: { readonly lowest?: string; readonly highest?: string }
  readonly cache: EvmCache
  readonly resend?: Resending
  readonly filter?: 'creates' | 'uses'
  readonly probe: 'sample' | 'none' | ProbeCall
}

/** When a call may be sent again. */
export type Resending = 'always' | 'same bytes' | 'unseen'

/** What determines how long a response stays valid. */
export interface EvmCache {
  readonly kind: string
  readonly isShared?: boolean
  readonly [field: string]: unknown
}

/** A call of the probe. */
interface ProbeCall {
  readonly create?: string
  readonly params: readonly unknown[]
  readonly cleanUp?: string
}

const blockReference = { type: 'string', pattern: '^\\w+(\\.\\w+)?$' }

const cacheOf = (kind: string, fields: Readonly<Record<string, object>> = {}) => ({
  properties: {
    kind: { const: kind },
    isShared: {
      type: 'boolean',
      description:
        'Whether responses are also in the shared store: those that take an upstream longer than a request to the store.',
    },
    ...fields,
  },
  required: ['kind', ...Object.keys(fields)],
  additionalProperties: false,
})

/** JSON Schema of `x-gateway` in the methods of `specs/evm`. */
export const evmPolicySchema = {
  type: 'object',
  properties: {
    latencyClass: {
      description:
        '`short`: upstreams respond from memory or by a key, for any parameters. `long`: they execute code or scan a range.',
      enum: ['short', 'long'],
    },
    cost: costSchema,
    role: {
      description:
        'Role of the upstreams that serve the method. `archive`: only for an old block, whose state other upstreams have pruned.',
      enum: ['full', 'archive', 'debug', 'trace'],
    },
    blocks: {
      description:
        'Where a call names the lowest and the highest block that it reads: a parameter, or a field of one (`filter.fromBlock`). A bound that no parameter names is omitted.',
      type: 'object',
      properties: { lowest: blockReference, highest: blockReference },
      minProperties: 1,
      additionalProperties: false,
    },
    cache: {
      description:
        'What determines how long a response stays valid. Calls of every kind except `none` are coalesced.',
      type: 'object',
      discriminator: { propertyName: 'kind' },
      required: ['kind'],
      oneOf: [
        // Each call is sent separately.
        cacheOf('none'),
        // The params alone.
        cacheOf('params'),
        // The chain; requested again after this time.
        cacheOf('chain', { ms: { type: 'integer', minimum: 1 } }),
        // The block of `blocks.highest`, or the latest block for a tag.
        cacheOf('block'),
        // The block that this field of the result, or of its elements, names.
        cacheOf('self-describing', { field: { enum: ['number', 'blockNumber'] } }),
        // The blocks of a log filter.
        cacheOf('logs'),
        // The latest block.
        cacheOf('head'),
        // Unknown, so that responses are not cached.
        cacheOf('uncacheable'),
      ],
    },
    resend: {
      description:
        'When a call may be sent again, if `x-idempotent` does not tell: `same bytes` for a signed transaction, `unseen` for a method that needs a key that only some upstreams have.',
      enum: ['always', 'same bytes', 'unseen'],
    },
    filter: {
      description: 'Whether a call creates a filter, or uses one: only the upstream that created it has it.',
      enum: ['creates', 'uses'],
    },
    probe: {
      description:
        'A call that changes nothing. `sample`: params from the specification and the chain. `none`: no such call exists.',
      type: ['string', 'object'],
      pattern: '^(sample|none)$',
      properties: {
        create: {
          description: 'Method that is called before, with its own params. `$created` is its result.',
          type: 'string',
        },
        params: { description: '`$block` is the number of a block of the chain.', type: 'array' },
        cleanUp: {
          description: 'Method that is called afterwards with `$created`, or else with the result.',
          type: 'string',
        },
      },
      required: ['params'],
      additionalProperties: false,
    },
  },
  required: ['latencyClass', 'cost', 'role', 'cache', 'probe'],
  additionalProperties: false,
}
