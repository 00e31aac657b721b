import { parseConfiguration } from '@fairlead/gateway'
import { bytes, count, days, type Facts, hours, ms, plus, times } from './code-quantity.ts'
import { constantOf } from './source-constant.ts'

/** The default values of the options. */
export const defaults = parseConfiguration({})
const core = 'packages/gateway-core/src'
const evm = 'packages/gateway-evm/src'
const beacon = 'packages/gateway-beacon/src'
const grpc = 'packages/gateway-grpc/src'
const gateway = 'packages/gateway/src'
const platform = 'packages/platform-server/src'
const http1 = 'packages/http1/src'

const openStore = `${platform}/store/open-store.ts`
const requestPool = count(openStore, /const pool = newPool\(\{ \.\.\.config, max: (\d+), query_timeout/)
const exportPool = count(openStore, /const sessions = newPool\(\{ \.\.\.config, max: (\d+)/)

const storage = {
  'database connections for requests': requestPool,
  'database connections for exports': exportPool,
  // One connection listens for changes.
  'database connections': plus(requestPool, exportPool, { value: 1, measure: 'count' }),
  'usage batch interval': ms(`${core}/usage/usage-flusher.ts`, 'defaultFlushMs'),
  'usage of other processes': ms(`${core}/usage/usage-flusher.ts`, 'readUsedMs'),
  'credential reload': ms(`${platform}/store/directory-sync.ts`, 'fullReloadMs'),
} satisfies Facts

const limits = {
  'log query requests': count(`${evm}/consistency/ranges/gather-chunks.ts`, 'maxRequests'),
  'log query chunks at a time': count(`${evm}/consistency/ranges/gather-chunks.ts`, 'maxParallel'),
  'buffered response': bytes(`${core}/memory/memory-ledger.ts`, 'maxBytesOfReservation'),
  'overload delay': ms(`${core}/admission/overload.ts`, 'maxDelayMs'),
  'overload duration': times(
    ms(`${core}/admission/overload.ts`, 'sampleMs'),
    constantOf(`${core}/admission/overload.ts`, 'samplesToConfirm'),
  ),
  'upstream event streams': count(`${beacon}/events/multiplexers.ts`, 'defaultMaxUpstreamStreams'),
  'quota sharing': ms(`${core}/admission/limits/limits.ts`, 'syncMs'),
  'shared store timeout': ms(`${core}/shared-store/valkey-store.ts`, 'defaultTimeoutMs'),
  'shared store wait': ms(`${core}/shared-store/deadline-store.ts`, 'defaultTimeoutMs'),
  'shared store pause': ms(`${core}/shared-store/deadline-store.ts`, 'coolDownMs'),
  'lookups per second': count(`${platform}/identity/lookup-limit.ts`, 'lookupsPerSecond'),
  'lookup burst': count(`${platform}/identity/lookup-limit.ts`, 'burst'),
  'unknown credentials': { value: defaults.maxUnknownCredentials, measure: 'count' },
  'platform requests': count(`${platform}/platform-api/rate-limits.ts`, /name: 'default', quota: (\d+)/),
  'access rules': count(`${platform}/records/access-rules.ts`, 'maxRules'),
} satisfies Facts

const connections = {
  'client connections': { value: defaults.maxConnections, measure: 'count' },
  'connections per address': { value: defaults.maxConnectionsPerAddress, measure: 'count' },
  'connection rate per address': { value: defaults.maxConnectionRate, measure: 'count' },
  'unauthenticated streams': count(
    `${core}/clients/client-costs.ts`,
    /initial: \{ maxConcurrentStreams: (\d+)/,
  ),
  'authenticated streams': count(
    `${core}/clients/client-costs.ts`,
    /authenticated: \{\s+maxConcurrentStreams: ([\d_]+)/,
  ),
  'streams of an address': count(`${core}/clients/client-costs.ts`, 'streamsOfAddress'),
  'keep-alive timeout': { value: defaults.keepAliveTimeoutMs, measure: 'ms' },
  'keep-alive checks': times(ms(`${http1}/server/http1-server.ts`, 'maxCheckMs'), 2),
  'idle HTTP/2 connection': ms('packages/grpc-transport/src/server/http2-server.ts', 'idleMs'),
  'header timeout': ms(`${gateway}/ports/http-limits.ts`, 'headersTimeout'),
  'header check': ms(`${gateway}/ports/http-limits.ts`, 'connectionsCheckingInterval'),
  'header size': bytes(`${gateway}/ports/http-limits.ts`, 'maxHeaderSize'),
  'header fields over HTTP/2': count(
    'packages/grpc-transport/src/server/http2-server.ts',
    /maxHeaderPairs \?\? (\d+)/,
  ),
  'request timeout': ms(`${gateway}/ports/http-limits.ts`, 'requestTimeout'),
  'stall timeout': { value: defaults.stallMs, measure: 'ms' },
  'minimum transfer rate': { value: defaults.minBytesPerSecond, measure: 'bytes' },
  'body size': { value: defaults.maxBodyBytes, measure: 'bytes' },
  'beacon body size': { value: defaults.maxBeaconBodyBytes, measure: 'bytes' },
  'public body size': bytes(`${platform}/platform-api/register-operations.ts`, 'publicBodyBytes'),
  'unauthenticated timeout': ms(`${core}/http/progress-deadlines.ts`, 'unauthenticatedMs'),
  'database check': ms(`${gateway}/observe/watch-database.ts`, 'checkMs'),
  'database check timeout': ms(`${gateway}/observe/watch-database.ts`, 'timeoutMs'),
  'certificate check': ms(`${gateway}/ports/tls-certificate.ts`, 'checkMs'),
  'open files': count(`${gateway}/processes/warn-about-open-file-limit.ts`, 'enoughHandles'),
  drain: ms(`${gateway}/start-gateway.ts`, 'drainMs'),
  'WebSocket reading during the drain': times(ms(`${gateway}/start-gateway.ts`, 'drainMs'), 1 / 2),
} satisfies Facts

const webhooks = {
  'webhook quota check': ms(`${platform}/webhooks/start-webhooks.ts`, 'quotaMs'),
  'webhook upstream check': ms(`${platform}/webhooks/start-webhooks.ts`, 'upstreamMs'),
  'webhook known addresses': count(`${platform}/webhooks/sources/watch-addresses.ts`, 'maxAddresses'),
  'webhook timeout': ms(`${platform}/webhooks/send-webhook.ts`, 'defaultTimeoutMs'),
  ...retries(),
  'webhook retention': ms(`${platform}/webhooks/start-deliverer.ts`, 'retentionMs'),
  'webhook lease': ms(`${platform}/webhooks/retry-schedule.ts`, 'leaseMs'),
} satisfies Facts

const sessions = {
  'idle session': hours(`${platform}/records/sessions.ts`, /interval '(\d+) hours'/),
  session: days(`${platform}/records/sessions.ts`, /interval '(\d+) days'/),
  'recent sign-in': ms(`${platform}/records/sessions.ts`, 'recentSignInMs'),
  invitation: days(`${platform}/records/invitations.ts`, /interval '(\d+) days'/),
  'Argon2id memory': times(bytes(`${platform}/sessions/passwords.ts`, 'memoryCost'), 1_024),
  'Argon2id passes': count(`${platform}/sessions/passwords.ts`, 'timeCost'),
  'sign-in window': ms(`${platform}/sessions/sign-in-throttle.ts`, 'windowMs'),
  'sign-ins on an account': count(`${platform}/sessions/sign-in-throttle.ts`, 'maxFromNetwork'),
  'sign-ins from a network': count(`${platform}/sessions/sign-in-throttle.ts`, 'maxPerNetwork'),
  'sign-ins on an account from unknown networks': count(
    `${platform}/sessions/sign-in-throttle.ts`,
    'maxPerAccount',
  ),
} satisfies Facts

const upstreams = {
  'upstream batch': count(`${core}/grants/parse-upstreams.ts`, 'defaultBatchSize'),
  'missing native method': ms(`${evm}/adapters/native-or-derived.ts`, 'missingTtlMs'),
  'range limit lifetime': ms(`${core}/upstream/upstream.ts`, 'rangeLimitMs'),
  'batch pause': ms(`${evm}/upstream/batcher.ts`, 'disabledMs'),
  'short secret': count(`${core}/redaction/redact-plain.ts`, 'minSubstringLength'),
  'encoded secret': count(`${core}/redaction/redact-deep.ts`, 'minEncodedLength'),
  'JWT secret': bytes(`${evm}/upstream/upstream-jwt.ts`, 'secretBytes'),
  'JWT age': ms(`${evm}/upstream/upstream-jwt.ts`, 'reuseMs'),
  'lagging blocks': count(`${core}/upstream/pool-member.ts`, 'laggingBlocks'),
  'lagging time': ms(`${core}/upstream/pool-member.ts`, 'laggingMs'),
  'stale blocks': count(`${core}/upstream/pool-member.ts`, 'severeLagBlocks'),
  'stale time': ms(`${core}/upstream/pool-member.ts`, 'severeLagMs'),
  'span of the block time': ms(`${core}/upstream/block-time.ts`, 'minSpanMs'),
  'announced block': ms(`${core}/upstream/chain-heads.ts`, 'announcedForMs'),
  'default block time': ms(`${core}/upstream/pool-member.ts`, 'defaultBlockMs'),
  'block time of Arbitrum': ms(`${evm}/chain/block-times.ts`, /'0xa4b1', ([\d_]+)/),
  'block time of BNB Smart Chain': ms(`${evm}/chain/block-times.ts`, /'0x38', ([\d_]+)/),
  'block time of HyperEVM': ms(`${evm}/chain/block-times.ts`, /'0x3e7', ([\d_]+)/),
  'block time of Base': ms(`${evm}/chain/block-times.ts`, /'0x2105', ([\d_]+)/),
  slot: ms(`${beacon}/upstream/beacon-upstreams.ts`, 'slotMs'),
  'masterchain block time': ms('packages/gateway-jetton/src/upstream/jetton-upstreams.ts', 'blockMs'),
  'lagging slots': count(`${beacon}/upstream/beacon-upstreams.ts`, 'toleratedLag'),
  'lagging masterchain blocks': count(
    'packages/gateway-jetton/src/upstream/jetton-upstreams.ts',
    'toleratedLag',
  ),
  'health check': ms(`${core}/upstream/steady-pool.ts`, 'intervalMs'),
  'idle health checks': ms(`${core}/upstream/steady-pool.ts`, 'idleMs'),
  'archive blocks': count(`${evm}/chain/chain-depths.ts`, 'archive'),
  'head timeout': ms(`${evm}/upstream/evm-upstreams.ts`, 'pollTimeoutMs'),
  'chain id check': ms(`${evm}/upstream/evm-upstreams.ts`, 'chainIdMs'),
  'failures in a row': count(`${core}/upstream/circuit-breaker.ts`, 'maxConsecutiveFailures'),
  'first rate pause': ms(`${core}/upstream/rate-budget.ts`, 'firstPauseMs'),
  'longest rate pause': ms(`${core}/upstream/rate-budget.ts`, 'maxPauseMs'),
  'first retry': ms(`${core}/upstream/circuit-breaker.ts`, 'minPauseMs'),
  'last retry': count(`${core}/upstream/circuit-breaker.ts`, /maxPauseMs = (\d+)_000/),
  'head grace period': ms(`${evm}/consistency/credential-heads.ts`, 'graceMs'),
  'head lifetime': ms(`${evm}/consistency/credential-heads.ts`, 'lifetimeMs'),
  'missing head': times(
    ms(`${evm}/consistency/monotonic-reads.ts`, 'attemptIntervalMs'),
    constantOf(`${evm}/consistency/monotonic-reads.ts`, 'maxAttempts') - 1,
  ),
  'JSON-RPC connections': count(`${evm}/upstream/evm-upstream.ts`, 'maxConnections'),
  'REST connections': count(`${core}/rest/rest-upstream.ts`, 'maxConnections'),
  'lookup connections': count(`${http1}/client/adaptive-pipelining.ts`, 'maxSharedConnections'),
  'guaranteed connections': count(`${http1}/client/connection-pool.ts`, 'alwaysGranted'),
  'interrupted response': ms(`${http1}/client/connection.ts`, 'stalledMs'),
  'shortest hedge': ms(`${evm}/upstream/evm-pool.ts`, 'minHedgeMs'),
  'silence check': times(ms(`${core}/upstream/silence.ts`, 'silenceTickMs'), 2),
  'silence limit': ms(`${core}/upstream/silence-watch.ts`, 'minLimitMs'),
  'retries in a second': count(
    `${core}/upstream/retry-budget.ts`,
    /retryRules: BudgetRules = .*perSecond: (\d+)/,
  ),
  'saved retries': count(`${core}/upstream/retry-budget.ts`, /retryRules: BudgetRules = .*max: (\d+)/),
  'trials of waiting calls': count(`${core}/upstream/upstream.ts`, /waiting: .*perSecond: (\d+)/),
  'trials of failing calls': count(`${core}/upstream/upstream.ts`, /failing: .*perSecond: (\d+)/),
  'saved trials': count(`${core}/upstream/upstream.ts`, /failing: .*max: (\d+)/),
  'pause between checks': ms(`${core}/upstream/health-rounds.ts`, 'minPauseMs'),
  'short response': bytes(`${evm}/response/upstream-response.ts`, 'maxShortBytes'),
  'probe after a rejection': ms(`${core}/protocol/upstream-identity.ts`, 'reconnectMs'),
  'client changes': count(`${core}/protocol/upstream-identity.ts`, 'maxChanges'),
} satisfies Facts

const caches = {
  'cached response': bytes(`${evm}/cache/memory-cache.ts`, 'maxCachedBytes'),
  'finality of Ethereum': count(
    `${evm}/chain/chain-depths.ts`,
    /'0x1', \{ \.\.\.defaultDepths, finality: ([\d_]+)/,
  ),
  'finality of Ethereum Classic': count(
    `${evm}/chain/chain-depths.ts`,
    /'0x3d', \{ \.\.\.defaultDepths, finality: ([\d_]+)/,
  ),
  'finality of other chains': count(
    `${evm}/chain/chain-depths.ts`,
    /defaultDepths: ChainDepths = \{ finality: (\d+)/,
  ),
  'unsure blocks': count(`${evm}/cache/chain-identity.ts`, 'unsureBlocks'),
  'cached beacon response': bytes(`${beacon}/cache/cacheable-response.ts`, 'maxCacheableBytes'),
  'cached beacon responses': bytes(`${beacon}/upstream/beacon-upstreams.ts`, 'defaultCacheBytes'),
  'short beacon cache': ms(`${beacon}/cache/cacheable-response.ts`, 'shortTtlMs'),
} satisfies Facts

const streams = {
  'shortest event retry': ms(`${beacon}/events/event-client.ts`, 'minRetryMs'),
  'longest event retry': ms(`${beacon}/events/event-client.ts`, 'maxRetryMs'),
  'event comment': ms(`${beacon}/events/upstream-stream.ts`, 'keepAliveMs'),
  'event silence': ms(`${beacon}/events/upstream-stream.ts`, 'silenceMs'),
  'units of a tick': count(`${core}/admission/tick-budget.ts`, 'unitsPerTick'),
  'depth of a body': count(`${core}/json-depth.ts`, /bodyLimits.*maxDepth: ([\d_]+)/),
  'values of a body': count(`${core}/json-depth.ts`, /bodyLimits.*maxValues: ([\d_]+)/),
  'rejected requests': count(`${core}/clients/connection-failures.ts`, 'maxFailures'),
  'memory of a request byte': count(`${core}/memory/memory-ledger.ts`, /  request: (\d+),/),
  'memory of a response byte': count(`${core}/memory/memory-ledger.ts`, /  response: (\d+),/),
  'memory of a pending byte': count(`${core}/memory/memory-ledger.ts`, /  pending: (\d+),/),
  'memory of a WebSocket': bytes(`${evm}/websocket/session-memory.ts`, 'idleBytes'),
  'free memory of a WebSocket': bytes(`${evm}/websocket/session-memory.ts`, 'freeBytes'),
  'invalid messages': count('packages/gateway-evm/src/websocket/session.ts', 'maxInvalidMessages'),
  'slow WebSocket client': ms(`${evm}/websocket/session.ts`, 'drainTimeoutMs'),
  'stored blocks': count(`${evm}/subscriptions/block-window.ts`, 'maxBlocks'),
  'stored logs': bytes(`${evm}/subscriptions/block-window.ts`, 'maxTextLength'),
  'initial blocks': count(`${evm}/subscriptions/chain-tracker.ts`, 'initialBlocks'),
  'missed blocks': count(`${evm}/subscriptions/chain-tracker.ts`, 'defaultMaxGap'),
  'idle upstream subscription': ms(`${evm}/subscriptions/chain-source.ts`, 'idleGraceMs'),
  'head polling': { value: defaults.headPollMs, measure: 'ms' },
  'silent upstream WebSocket': plus(
    ms(`${evm}/upstream/websocket-upstream.ts`, 'pingMs'),
    ms(`${evm}/upstream/websocket-upstream.ts`, 'silentMs'),
  ),
  'missing heads': ms(`${evm}/subscriptions/chain-tracker.ts`, 'defaultDoubtMs'),
  'block readers of a list': count(`${evm}/subscriptions/chain-source.ts`, 'maxContinuations'),
  'filter alternatives': count(`${evm}/subscriptions/log-filter.ts`, 'maxAlternatives'),
  'filter items of a WebSocket': count(`${evm}/subscriptions/client-subscriptions.ts`, 'maxFilterItems'),
  'filter items of a credential': count(`${evm}/websocket/credential-sockets.ts`, 'maxFilterItems'),
  'gRPC response buffer': bytes(`${grpc}/upstream/grpc-connections.ts`, 'upstreamWindowBytes'),
  'gRPC request buffer': bytes(`${grpc}/call/downstream.ts`, 'maxResponseBytes'),
  'gRPC reconnect': ms('packages/grpc-transport/src/client/sessions.ts', 'longestPauseMs'),
  'gRPC connection wait': ms(`${grpc}/upstream/grpc-connections.ts`, 'waitForReadyMs'),
  'idle gRPC connection': ms(`${grpc}/upstream/grpc-connections.ts`, 'idleTimeoutMs'),
  'gRPC connections': count(`${grpc}/upstream/grpc-connections.ts`, 'maxConnections'),
  'gRPC repeated request': bytes(`${grpc}/call/sent-requests.ts`, 'maxRetryBytes'),
  'gRPC end timeout': ms(`${grpc}/call/proxied-call.ts`, 'endTimeoutMs'),
  'gRPC stall': ms(`${grpc}/call/slow-consumers.ts`, 'stallTimeoutMs'),
  'gRPC moves': count(`${grpc}/call/sent-requests.ts`, /failoverRules: BudgetRules = .*max: (\d+)/),
  'Geyser slots': count(`${grpc}/geyser/geyser-subscription.ts`, 'replayedSlots'),
  'Geyser request': bytes(`${grpc}/geyser/geyser-subscription.ts`, 'maxRequestBytes'),
  'Geyser update': bytes(`${grpc}/geyser/geyser-subscription.ts`, 'maxUpdateBytes'),
  'Geyser updates': count(`${grpc}/geyser/update-deduplicator.ts`, 'maxKeys'),
} satisfies Facts

/** Numbers of the gateway. */
export const gatewayFacts = {
  ...storage,
  ...limits,
  ...connections,
  ...webhooks,
  ...sessions,
  ...upstreams,
  ...caches,
  ...streams,
} satisfies Facts

function retries(): Facts {
  const list = /retryDelaysMs: readonly number\[\] = \[(?:[\d_]+, ){N}([\d_]+)/.source
  const delay = (index: number) =>
    ms(`${platform}/webhooks/retry-schedule.ts`, new RegExp(list.replace('N', String(index))))
  return Object.fromEntries([0, 1, 2, 3].map((index) => [`webhook retry ${index + 1}`, delay(index)]))
}
