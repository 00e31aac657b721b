import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { TokenBucket } from '@fairlead/gateway-core/admission/token-bucket'
import { type CallRule, createRuleFinder } from './call-rules.ts'

/** Enforces the rules for every credential. */
export interface CallLimits {
  /**
   * Admits a call, or rejects it.
   *
   * @param credentialId - the credential whose limits apply
   * @param path - `/<package>.<Service>/<Method>`
   * @returns a function to call once, at the end of the call
   * @throws GrpcError PERMISSION_DENIED for a denied method; RESOURCE_EXHAUSTED beyond a limit, with
   * `grpc-retry-pushback-ms` where the time until a retry can succeed is known
   */
  enter(credentialId: string, path: string): () => void
  /** Applies new rules to the calls that begin from now on. Open calls remain counted. */
  change(rules: readonly CallRule[], maxOpenCalls: number): void
  /** Removes the state of credentials that are no longer valid. */
  forget(isInForce: (credentialId: string) => boolean): void
}

interface Use {
  open: number
  readonly byPattern: Map<string, { open: number; bucket: TokenBucket | undefined }>
}

/**
 * Creates the limits of all credentials.
 *
 * @param rules - rules for some methods
 * @param mostOpenCalls - maximum number of open calls per credential
 */
export function createCallLimits(rules: readonly CallRule[], mostOpenCalls: number): CallLimits {
  let ruleOf = createRuleFinder(rules)
  let maxOpenCalls = mostOpenCalls
  const uses = new Map<string, Use>()

  const useOf = (credentialId: string): Use => {
    const known = uses.get(credentialId)
    if (known) return known
    const use: Use = { open: 0, byPattern: new Map() }
    uses.set(credentialId, use)
    return use
  }

  return {
    enter(credentialId, path) {
      const rule = ruleOf(path)
      if (rule?.isDenied) {
        throw new GrpcError(Status.PERMISSION_DENIED, 'This service does not let this method be called.')
      }
      const use = useOf(credentialId)
      const part = rule && partOf(use, rule)
      if (use.open >= maxOpenCalls) throw tooManyOpen(maxOpenCalls)
      if (part && rule.openCalls !== undefined && part.open >= rule.openCalls)
        throw tooManyOpen(rule.openCalls)
      if (rule?.callsPerSecond !== undefined && part?.bucket) takeToken(part.bucket, rule.callsPerSecond)
      use.open++
      if (part) part.open++
      return () => {
        use.open--
        if (part) part.open--
      }
    },
    change: (next, most) => {
      ruleOf = createRuleFinder(next)
      maxOpenCalls = most
      const byPattern = new Map(next.map((rule) => [rule.pattern, rule]))
      for (const use of uses.values()) {
        for (const [pattern, part] of use.byPattern) part.bucket = bucketOf(byPattern.get(pattern))
      }
    },
    forget: (isInForce) => {
      for (const [credentialId, { open }] of uses) {
        if (open === 0 && !isInForce(credentialId)) uses.delete(credentialId)
      }
    },
  }
}

function partOf(use: Use, rule: CallRule) {
  const known = use.byPattern.get(rule.pattern)
  if (known) return known
  const part = { open: 0, bucket: bucketOf(rule) }
  use.byPattern.set(rule.pattern, part)
  return part
}

function bucketOf({ callsPerSecond }: Partial<CallRule> = {}): TokenBucket | undefined {
  if (callsPerSecond === undefined) return undefined
  return new TokenBucket(callsPerSecond, callsPerSecond, performance.now())
}

function takeToken(bucket: TokenBucket, perSecond: number): void {
  if (bucket.take(performance.now()) === 0) return
  throw new GrpcError(
    Status.RESOURCE_EXHAUSTED,
    `The credential may begin ${perSecond} calls of this kind per second.`,
    { 'grpc-retry-pushback-ms': String(Math.ceil(1_000 / perSecond)) },
  )
}

function tooManyOpen(most: number): GrpcError {
  return new GrpcError(
    Status.RESOURCE_EXHAUSTED,
    `The credential may have ${most} calls of this kind open at a time.`,
  )
}
