import { FairleadError } from '@fairlead/core'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamCheck } from '@fairlead/gateway-core/protocol/module'
import { RejectedCheck, UnexpectedCheck } from '@fairlead/gateway-core/upstream/check-upstream'
import { configuredUpstreams } from '../configuration/configured-upstreams.ts'
import type { Configuration } from '../configuration/options.ts'
import { protocolModules } from '../protocols.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Checks the upstreams: whether each responds in its protocol and follows its chain. */
export async function examineUpstreams(configuration: Configuration): Promise<readonly Finding[]> {
  const configured = upstreamsOf(configuration)
  if ('state' in configured) return [configured]
  const checks = Object.entries(configured.upstreams).flatMap(([recordName, text]) => {
    const upstreams = parseUpstreams(text)
    return upstreams.map(async (upstream, at): Promise<Finding> => {
      const about = `${recordName} upstream${upstreams.length > 1 ? ` ${at + 1}` : ''}`
      if (upstream.isCordoned) return ok(about, 'cordoned, not checked')
      return examineUpstream(about, recordName, upstream, configuration.upstreamTimeoutMs)
    })
  })
  return Promise.all(checks)
}

function upstreamsOf(
  configuration: Configuration,
): { readonly upstreams: Readonly<Record<string, string>> } | Finding {
  try {
    return { upstreams: configuredUpstreams(configuration) }
  } catch (error) {
    if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
    return problem('upstreams', 'invalid configuration', `${error.details.option} ${error.details.rule}`)
  }
}

async function examineUpstream(
  about: string,
  recordName: string,
  upstream: UpstreamRecord,
  timeoutMs: number,
): Promise<Finding> {
  const startedAt = performance.now()
  try {
    const seen = await checkUpstream(recordName, upstream, timeoutMs)
    const duration = `${Math.round(performance.now() - startedAt)} ms`
    if (typeof seen === 'string') return ok(about, `${seen}, response time ${duration}`)
    return warning(about, seen.warning, 'wait until it is synced; meanwhile, calls go to other upstreams')
  } catch (error) {
    return problem(about, reasonOf(error), adviceOf(error, upstream))
  }
}

async function checkUpstream(
  recordName: string,
  upstream: UpstreamRecord,
  timeoutMs: number,
): Promise<UpstreamCheck> {
  const module = protocolModules.find(({ description }) =>
    description.upstreamFields.some((field) => field.recordName === recordName),
  )
  if (!module) throw new TypeError(`No protocol has the upstream field ${recordName}.`)
  const runtime = await module.load()
  return runtime.checkUpstream(recordName, upstream, timeoutMs)
}

// Error messages of the runtime hold the URL, and with it perhaps a token, so only the kind of error is reported.
function reasonOf(error: unknown): string {
  if (error instanceof RejectedCheck) return `returns status ${error.status}`
  if (error instanceof UnexpectedCheck || error instanceof SyntaxError)
    return 'returns an unexpected response'
  const { code, name, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') return 'timeout'
  return `unreachable: ${code ?? cause?.code ?? 'unknown error'}`
}

function adviceOf(error: unknown, { jwtSecretFile }: UpstreamRecord): string {
  if (error instanceof RejectedCheck && error.status !== 401 && error.status !== 403) {
    return 'check the path of its URL'
  }
  if (error instanceof RejectedCheck) {
    return jwtSecretFile === undefined
      ? 'check the credentials in its URL'
      : 'check that jwt is the secret of this upstream, and that the clocks of both machines are synchronized'
  }
  if (error instanceof UnexpectedCheck || error instanceof SyntaxError)
    return 'check that this is the URL of an upstream of this protocol'
  return 'check that the upstream runs and that this machine can reach it'
}
