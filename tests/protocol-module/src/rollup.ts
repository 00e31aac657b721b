import {
  applyCommonSettings,
  createRequestHandler,
  createRestUpstream,
  fetchCheck,
  type Grant,
  type OptionGroup,
  type Protocol,
  type ProtocolDependencies,
  type ProtocolDescription,
  type ProtocolModule,
  type ProtocolSettings,
  rejectionHeaders,
  type Rejection,
  type HttpContext,
  type RequestRules,
  RestError,
  type RestUpstream,
  type RouteMatch,
  sendResponse,
  toRestError,
  UnexpectedCheck,
} from '@fairlead/gateway/protocol'

const options = {
  rollupUpstream: {
    kind: 'secret',
    environment: 'ROLLUP_UPSTREAM',
    description: 'URL of the rollup node.',
    form: { pattern: /^https?:\/\/\S+$/, rule: 'an http or https URL' },
  },
  rollupNotice: {
    kind: 'string',
    environment: 'ROLLUP_NOTICE',
    description: 'Text of the header X-Notice.',
    fallback: 'none',
    reload: true,
  },
} as const satisfies OptionGroup

const description: ProtocolDescription = {
  name: 'rollup',
  upstreamFields: [
    {
      name: 'rollup',
      recordName: 'rollup',
      option: 'rollupUpstream',
      schemes: ['http:', 'https:'],
      isSingle: true,
    },
  ],
  chains: ['rollup'],
  defaultChain: 'rollup',
  furtherChains: [],
  credentialKinds: [],
  routes: [{ kind: 'http', pattern: { afterToken: 'rollup', isDeep: true } }],
  endpointUrls: (base, token) => ({ rollup: `${base}/${token}/rollup` }),
}

const format = {
  writeError: ({ status, message }: { readonly status: number; readonly message: string }) =>
    JSON.stringify({ error: { status, message } }),
}

const rules: RequestRules = {
  protocol: 'rollup',
  maxBodyBytes: 0,
  cors: { methods: 'GET', headers: 'authorization', exposed: 'x-request-id, x-notice' },
  failure: rejected,
  rejectionOf: (error, log) => {
    const failure = toRestError(error, log)
    return { status: failure.status, headers: failure.headers, text: format.writeError(failure) }
  },
}

type RollupSettings = ProtocolSettings<typeof options>

/** A REST API of a rollup: `GET /<token>/rollup/status` and `GET /<token>/rollup/blocks/<number>`. */
export const rollupModule: ProtocolModule<typeof options> = {
  description,
  options,
  load: () =>
    Promise.resolve({ open, checkUpstream: (_, upstream, timeoutMs) => check(upstream, timeoutMs) }),
}

async function check(upstream: Parameters<typeof fetchCheck>[0], timeoutMs: number): Promise<string> {
  const { height } = (await fetchCheck(upstream, timeoutMs, { path: '/status' })) as { height?: number }
  if (height === undefined) throw new UnexpectedCheck()
  return `block ${height}`
}

function open(dependencies: ProtocolDependencies, settings: RollupSettings): Protocol<RollupSettings> {
  const { upstreamRules, loops } = dependencies
  const { upstreamTimeoutMs: timeoutMs } = settings
  const http = { ...dependencies.http, notice: settings.rollupNotice }
  const upstreams = new Map<string, RestUpstream>()
  const upstreamOf = ({ upstreams: { rollup: url = '' } }: Grant): RestUpstream => {
    const known = upstreams.get(url)
    if (known) return known
    const upstream = createRestUpstream(url, timeoutMs, format, upstreamRules.of(url), loops.entry)
    upstreams.set(url, upstream)
    return upstream
  }
  const answer = async (context: HttpContext, match: RouteMatch) => {
    const { target } = match
    const grant = context.authenticate(match)
    context.method = methodOf(target)
    const { signal } = context
    const permit = await context.admit(context.method)
    try {
      context.response.setHeader('x-notice', http.notice)
      const call = {
        method: 'GET',
        target: target.slice('/rollup'.length),
        headers: {},
        tenant: grant,
        signal,
      } as const
      const response = await upstreamOf(grant).request(call)
      await sendResponse(response, context, { api: 'rollup API', types: ['application/json'], timeoutMs })
    } finally {
      permit.release()
    }
  }
  return {
    description,
    handle: createRequestHandler(http, rules, answer),
    ready: () => Promise.resolve(),
    reconfigure: (next) => {
      applyCommonSettings(http, next)
      http.notice = next.rollupNotice
    },
    drain: () => Promise.resolve(),
    close: async () => {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()))
    },
  }
}

function methodOf(target: string): string {
  if (/^\/rollup\/status$/.test(target)) return 'getStatus'
  if (/^\/rollup\/blocks\/\d+$/.test(target)) return 'getBlock'
  throw new RestError(404, 'The rollup API has no such path.')
}

function rejected(rejection: Rejection): RestError {
  return new RestError(rejection.status, rejection.reason, rejectionHeaders(rejection))
}
