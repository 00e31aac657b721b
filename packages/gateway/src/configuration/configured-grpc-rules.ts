import { FairleadError } from '@fairlead/core'
import { type CallRule, parseCallRules } from '@fairlead/gateway-grpc/limits/call-rules'
import type { Configuration } from './options.ts'

/**
 * The rules for gRPC methods that the configuration holds.
 *
 * @throws FairleadError `CONFIG_INVALID` when the text is none
 */
export function configuredGrpcRules({
  grpcRules = '',
}: Pick<Configuration, 'grpcRules'>): readonly CallRule[] {
  const rules = parseCallRules(grpcRules)
  if (typeof rules !== 'string') return rules
  throw new FairleadError('CONFIG_INVALID', {
    option: 'FAIRLEAD_GRPC_RULES',
    rule: `is not understood: ${rules}`,
  })
}
