import type { Methods } from './generated/index.ts'

/** Name of a method of the specification. */
export type MethodName = keyof Methods

/** Parameters of a method, by position. */
export type MethodParams<method extends MethodName> = Methods[method]['params']

/** Result of a method for given parameters; a flag that is known at compile time narrows it. */
export type MethodResult<method extends MethodName, params = MethodParams<method>> = Methods[method] extends {
  overloads: infer overloads
}
  ? [Matching<overloads, params>] extends [never]
    ? Methods[method]['result']
    : Matching<overloads, params>
  : Methods[method]['result']

type Matching<overload, params> = overload extends { params: infer accepted; result: infer result }
  ? params extends accepted
    ? result
    : never
  : never

/** A call. `params` is optional when no parameter is required. */
export type EvmRequest<method extends MethodName, params extends MethodParams<method>> = {
  readonly method: method
} & ([] extends MethodParams<method> ? { readonly params?: params } : { readonly params: params })
