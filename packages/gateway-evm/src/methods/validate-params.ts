import type { Method } from '@fairlead/core'
import { document, methods, schemas } from '@fairlead/evm-rpc/contract'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'

const ajv = new Ajv2020({ strict: false, allErrors: false })
ajv.addSchema({ $id: document, components: { schemas } })
const validators = new Map<string, readonly ValidateFunction[]>()

/**
 * Validates the params of a method that the gateway itself implements. For other methods, the upstream validates them.
 *
 * @param name - method of the specification
 * @param params - by position, with their number already checked
 * @throws RpcError -32602 that names the position and the rule, never the value
 */
export function validateParams(name: string, params: readonly unknown[]): void {
  const described = (methods as Readonly<Record<string, Method>>)[name]?.params ?? []
  let validate = validators.get(name)
  if (!validate) {
    validate = described.map((param) => ajv.compile(param.schema))
    validators.set(name, validate)
  }
  for (const [position, value] of params.entries()) {
    const check = validate[position]
    if (!check || check(value)) continue
    const path = `${described[position]?.name}${pathOf(check.errors?.[0])}`
    throw new RpcError(rpcCodes.invalidParams, `${path} ${check.errors?.[0]?.message ?? 'is invalid'}.`)
  }
}

function pathOf(error: ErrorObject | undefined): string {
  return (error?.instancePath ?? '').replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')
}
