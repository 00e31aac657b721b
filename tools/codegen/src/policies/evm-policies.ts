import type { Json } from '../bundle.ts'
import { methodsOf, type RpcMethod } from '../openrpc-types.ts'
import { policyExtension } from '../policy-extension.ts'
import { resolveReference } from '../schema-references.ts'
import { type EvmCache, type EvmPolicy, evmPolicySchema, type Resending } from './evm-policy-schema.ts'
import { policyReader, policyTable } from './read-policy.ts'

const read = policyReader(evmPolicySchema)

/**
 * Generates the policies of all EVM methods for the gateway.
 *
 * @param document - bundled, with policies
 * @throws Error that names the method, the field and the rule
 */
export function evmPolicies(document: Json): string {
  const methods = methodsOf(document)
  const names = new Set(methods.map(({ name }) => name))
  const policies = methods.map((method) => {
    const policy = read(method.name, method[policyExtension]) as EvmPolicy
    return [method.name, resolved(new Checked(document, method, names), policy)] as const
  })
  return `import type { MethodName, MethodPolicy } from '../methods/method-policy.ts'

/** The policy of every method by name. */
export const policies: Readonly<Record<MethodName, MethodPolicy>> = ${policyTable(Object.fromEntries(policies))}
`
}

/** The fields that the gateway reads, each present in each policy, so that all policies have one shape. */
function resolved(checked: Checked, { latencyClass, cost, role, blocks, cache, ...rest }: EvmPolicy): object {
  const lowestBlock = checked.block('lowest', blocks?.lowest)
  const highestBlock = checked.block('highest', blocks?.highest)
  if (!lowestBlock && !highestBlock) checked.namesNoBlock()
  const resending = checked.resending(rest.resend)
  return {
    latencyClass,
    cost,
    role,
    lowestBlock,
    highestBlock,
    cache: checked.cache(cache, highestBlock),
    resending,
    filter: rest.filter,
    probe: checked.probe(rest.probe),
  }
}

interface BlockPosition {
  readonly param: number
  readonly field: string | undefined
}

const blockNames: readonly string[] = ['block', 'newestBlock']

/** Resolves the fields of one policy, and checks them against its method. */
class Checked {
  readonly #document: Json
  readonly #method: RpcMethod
  readonly #names: ReadonlySet<string>

  constructor(document: Json, method: RpcMethod, names: ReadonlySet<string>) {
    this.#document = document
    this.#method = method
    this.#names = names
  }

  block(bound: string, reference: string | undefined): BlockPosition | undefined {
    if (reference === undefined) return undefined
    const [name, field] = reference.split('.')
    const param = this.#method.params.findIndex((candidate) => candidate.name === name)
    const schema = this.#method.params[param]?.schema
    if (!schema) throw this.#error(`blocks.${bound}`, `must name a parameter, but ${name} is none`)
    if (field !== undefined && !this.#hasField(schema, field))
      throw this.#error(`blocks.${bound}`, `must name a field of ${name}, but ${field} is none`)
    return { param, field }
  }

  namesNoBlock(): void {
    const named = this.#method.params.find(({ name }) => blockNames.includes(name))
    if (named) throw this.#error('blocks', `is required for a method with the parameter ${named.name}`)
  }

  resending(given: Resending | undefined): Resending {
    const derived = this.#isIdempotent ? 'always' : 'unseen'
    if (given === derived) throw this.#error('resend', `must be omitted, as x-idempotent implies ${derived}`)
    return given ?? derived
  }

  cache(
    { kind, isShared = false, ...fields }: EvmCache,
    highestBlock: BlockPosition | undefined,
  ): object | undefined {
    if (kind === 'none') return undefined
    if (!this.#isIdempotent)
      throw this.#error('cache.kind', 'must be none for a method that is not idempotent')
    if (kind === 'block' && (!highestBlock || highestBlock.field !== undefined))
      throw this.#error('cache.kind', 'must not be block without a parameter in blocks.highest')
    if (kind === 'logs' && (highestBlock?.param !== 0 || highestBlock.field === undefined))
      throw this.#error('cache.kind', 'must not be logs without a log filter as first parameter in blocks')
    const param = kind === 'block' ? { param: highestBlock?.param } : {}
    return { ttl: { kind, ...fields, ...param }, isShared }
  }

  probe(probe: EvmPolicy['probe']): object | 'sample' | undefined {
    if (probe === 'none') return undefined
    if (probe === 'sample') {
      if (this.#isIdempotent) return probe
      throw this.#error('probe', 'must be none or harmless params for a method that is not idempotent')
    }
    const { create, params, cleanUp } = probe
    for (const [field, name] of Object.entries({ create, cleanUp })) {
      if (name !== undefined && !this.#names.has(name))
        throw this.#error(`probe.${field}`, `must name a method, but ${name} is none`)
    }
    return { create, params, cleanUp }
  }

  get #isIdempotent(): boolean {
    return this.#method['x-idempotent'] !== false
  }

  #hasField(schema: Json, field: string): boolean {
    const { properties = {}, oneOf = [], anyOf = [], allOf = [] } = resolveReference(this.#document, schema)
    const alternatives = [oneOf, anyOf, allOf].flat() as readonly Json[]
    return field in (properties as object) || alternatives.some((item) => this.#hasField(item, field))
  }

  #error(field: string, rule: string): Error {
    return new Error(`${this.#method.name}: ${policyExtension}.${field} ${rule}`)
  }
}
