import type { Method } from '@fairlead/core'
import { methods, schemas } from '@fairlead/evm-rpc/contract'
import { SchemaValues, arbitraryJson } from '@fairlead/vitest/arbitrary-value'
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { zeroHash } from './engine-node.ts'
import type { Sample } from './geth-cases.ts'

/** A call of a method of the contract. */
export interface ArbitraryCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/**
 * Calls of all methods: for existing and missing objects, valid, with one invalid parameter, or with too few or too
 * many parameters.
 */
export function arbitraryCall(sample: Sample): Arbitrary<ArbitraryCall> {
  const values = new SchemaValues(schemas, componentsOf(sample))
  return fc.oneof(
    ...Object.values<Method>(methods).map((method) =>
      paramsOf(method, values).map((params) => ({ method: method.name, params })),
    ),
  )
}

// Created once for each method, because this takes longer than generating a value.
function paramsOf({ params }: Method, values: SchemaValues): Arbitrary<readonly unknown[]> {
  const valid = fc.tuple(...params.map(({ schema }) => values.valid(schema)))
  const required = params.filter(({ required: isRequired }) => isRequired).length
  const short = fc
    .tuple(valid, fc.integer({ min: required, max: Math.max(params.length, required) }))
    .map(([validParams, length]) => validParams.slice(0, length))
  const broken = params.map(({ schema }, index) =>
    fc.tuple(valid, values.broken(schema)).map(([validParams, value]) => [...validParams].with(index, value)),
  )
  return fc.oneof(
    { weight: 4, arbitrary: short },
    {
      weight: 4,
      arbitrary: params.length === 0 ? fc.array(arbitraryJson, { maxLength: 3 }) : fc.oneof(...broken),
    },
    { weight: 1, arbitrary: fc.array(arbitraryJson, { maxLength: 6 }) },
  )
}

const hex = (digits: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).map((text) => `0x${text}`)

/** Values of components for which a pattern of hex digits is too general: most of them would not exist on the chain. */
function componentsOf({ account, contract, blockHash, blockNumber, transactionHash }: Sample) {
  const address = fc.oneof(fc.constantFrom(account, contract, `0x${'00'.repeat(20)}`), hex(40))
  const hash = fc.oneof(fc.constantFrom(blockHash, transactionHash, zeroHash), hex(64))
  const number = fc.oneof(fc.constantFrom(blockNumber, '0x0', '0x1', '0xffffff'), quantity)
  const tag = fc.constantFrom('latest', 'earliest', 'safe', 'finalized', 'pending')
  return {
    Address: address,
    Hash32: hash,
    Quantity: number,
    BlockTag: tag,
    BlockNumberOrTag: fc.oneof(number, tag),
    // A large block range takes the node a long time.
    BlockNumberInput: fc.oneof(number, tag, fc.nat(20)),
    Bytes: fc.oneof(fc.constant('0x'), hex(2), hex(8), hex(64)),
  }
}

const quantity = fc.nat(2 ** 30).map((value) => `0x${value.toString(16)}`)
