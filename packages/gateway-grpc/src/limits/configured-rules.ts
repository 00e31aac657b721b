import { FairleadError } from '@fairlead/core'
import type { ValuesOf } from '@fairlead/gateway-core/protocol/option'
import type { grpcOptions } from '../options.ts'
import { type CallRule, parseCallRules } from './call-rules.ts'

/**
 * Returns the configured rules for gRPC methods.
 *
 * @throws FairleadError `CONFIG_INVALID` when the text is invalid
 */
export function configuredRules({
  grpcRules = '',
}: Pick<ValuesOf<typeof grpcOptions>, 'grpcRules'>): readonly CallRule[] {
  const rules = parseCallRules(grpcRules)
  if (typeof rules !== 'string') return rules
  throw new FairleadError('CONFIG_INVALID', {
    option: 'FAIRLEAD_GRPC_RULES',
    rule: `is invalid: ${rules}`,
  })
}
