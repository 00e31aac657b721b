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
  acquire(credentialId: string, path: string): () => void
  /** Applies new rules to the calls that begin from now on. Open calls remain counted. */
  change(rules: readonly CallRule[], maxOpenCalls: number): void
  /** Removes the state of credentials that are no longer valid. */
  prune(isValid: (credentialId: string) => boolean): void
}

interface Usage {
  open: number
  readonly byPattern: Map<string, { open: number; bucket: TokenBucket | undefined }>
}

/**
 * Creates the limits of all credentials.
 *
 * @param rules - rules for some methods
 * @param initialMaxOpenCalls - maximum number of open calls per credential
 */
export function createCallLimits(rules: readonly CallRule[], initialMaxOpenCalls: number): CallLimits {
  let ruleOf = createRuleFinder(rules)
  let maxOpenCalls = initialMaxOpenCalls
  const usageByCredential = new Map<string, Usage>()

  const usageOf = (credentialId: string): Usage => {
    const existing = usageByCredential.get(credentialId)
    if (existing) return existing
    const usage: Usage = { open: 0, byPattern: new Map() }
    usageByCredential.set(credentialId, usage)
    return usage
  }

  return {
    acquire(credentialId, path) {
      const rule = ruleOf(path)
      if (rule?.isDenied) {
        throw new GrpcError(
          Status.PERMISSION_DENIED,
          'The gRPC rules of the gateway do not allow this method.',
        )
      }
      const usage = usageOf(credentialId)
      const patternUsage = rule && patternUsageOf(usage, rule)
      if (usage.open >= maxOpenCalls) throw tooManyOpen(maxOpenCalls)
      if (patternUsage && rule.openCalls !== undefined && patternUsage.open >= rule.openCalls)
        throw tooManyOpen(rule.openCalls)
      if (rule?.callsPerSecond !== undefined && patternUsage?.bucket)
        takeToken(patternUsage.bucket, rule.callsPerSecond)
      usage.open++
      if (patternUsage) patternUsage.open++
      return () => {
        usage.open--
        if (patternUsage) patternUsage.open--
      }
    },
    change: (next, nextMaxOpenCalls) => {
      ruleOf = createRuleFinder(next)
      maxOpenCalls = nextMaxOpenCalls
      const byPattern = new Map(next.map((rule) => [rule.pattern, rule]))
      for (const usage of usageByCredential.values()) {
        for (const [pattern, patternUsage] of usage.byPattern)
          patternUsage.bucket = bucketOf(byPattern.get(pattern))
      }
    },
    prune: (isValid) => {
      for (const [credentialId, { open }] of usageByCredential) {
        if (open === 0 && !isValid(credentialId)) usageByCredential.delete(credentialId)
      }
    },
  }
}

function patternUsageOf(usage: Usage, rule: CallRule) {
  const existing = usage.byPattern.get(rule.pattern)
  if (existing) return existing
  const patternUsage = { open: 0, bucket: bucketOf(rule) }
  usage.byPattern.set(rule.pattern, patternUsage)
  return patternUsage
}

function bucketOf({ callsPerSecond }: Partial<CallRule> = {}): TokenBucket | undefined {
  if (callsPerSecond === undefined) return undefined
  return new TokenBucket(callsPerSecond, callsPerSecond, performance.now())
}

function takeToken(bucket: TokenBucket, perSecond: number): void {
  if (bucket.take(performance.now()) === 0) return
  throw new GrpcError(
    Status.RESOURCE_EXHAUSTED,
    `The credential can start at most ${perSecond} calls of this kind per second.`,
    { 'grpc-retry-pushback-ms': String(Math.ceil(1_000 / perSecond)) },
  )
}

function tooManyOpen(limit: number): GrpcError {
  return new GrpcError(
    Status.RESOURCE_EXHAUSTED,
    `The credential can have at most ${limit} open calls of this kind.`,
  )
}
