import type { FastifyRequest } from 'fastify'
import { Refused } from '../chain/refused.ts'

const decimal = /^\d+$/
const validatorId = /^(\d+|0x[a-fA-F0-9]{96})$/

// The possible types of a parameter before validation; validation rejects other types.
type Value = string | string[]

/** The operations whose body is a list of validator indices. */
const operationsWithIndices: ReadonlySet<string | undefined> = new Set([
  '/eth/v1/validator/duties/attester/:epoch',
  '/eth/v1/validator/duties/sync/:epoch',
  '/eth/v1/validator/liveness/:epoch',
])

/**
 * Rejects integers that are not written in decimal, before the route table parses `0x10`, `1e3` or `1.5` as a number.
 *
 * @param request The unmodified request.
 * @throws Refused with the name of the invalid value.
 */
export function requireDecimals({
  params,
  query,
  body,
  routeOptions: { schema, url },
}: FastifyRequest): void {
  requireIntegers(schema?.params, params)
  requireIntegers(schema?.querystring, query)
  requireIds([field(params, 'validator_id'), field(query, 'id'), field(body, 'ids')])
  if (!Array.isArray(body)) return
  if (!operationsWithIndices.has(url)) requireIds(body.filter((item: unknown) => typeof item === 'string'))
  else if (!body.every((index: Value) => decimal.test(String(index)))) {
    throw new Refused('Each item of the body must be a validator index in decimal.')
  }
}

function requireIntegers(schema: unknown, input: unknown): void {
  const { properties } = (schema ?? {}) as { properties?: Record<string, { type?: string }> }
  for (const [name, { type }] of Object.entries(properties ?? {})) {
    const value = field(input, name)
    if (type !== 'integer' || value === undefined || decimal.test(String(value))) continue
    throw new Refused(`${name} must be an integer in decimal.`)
  }
}

function requireIds(input: readonly (Value | undefined)[]): void {
  const ids = input.flat().filter((id) => id !== undefined)
  if (ids.every((id) => validatorId.test(id))) return
  throw new Refused('A validator id must be an index or a public key of 48 bytes in hex.')
}

function field(of: unknown, name: string): Value | undefined {
  return typeof of === 'object' && of !== null ? (of as Record<string, Value>)[name] : undefined
}
