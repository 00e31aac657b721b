import { routes } from '@fairlead/beacon/contract'
import { methods } from '@fairlead/evm-rpc/contract'
import { bytes, count, type Facts, minutes, ms, plus, seconds, times } from './code-quantity.ts'
import { defaults, gatewayFacts } from './gateway-facts.ts'
import type { Quantity } from './quantity.ts'
import { constantOf } from './source-constant.ts'

const jetton = 'packages/gateway-jetton/src/adapters'
const rotation = 'specs/platform/schemas/NodeCredentialRotation.yaml'

const interfaces = {
  'EVM methods': { value: Object.keys(methods).length, measure: 'count' },
  'beacon operations': { value: Object.keys(routes).length, measure: 'count' },
  'rows of burns': count(`${jetton}/burn-rows.ts`, 'maxPageSize'),
  'failed burns': count(`${jetton}/burn-rows.ts`, 'maxSkippedRows'),
  // The constant counts characters of base64.
  'payload of a burn': times(bytes(`${jetton}/burn-comment.ts`, 'maxPayloadLength'), 3 / 4),
  'rotation overlap': seconds(rotation, /default: (\d+)/),
  'maximum rotation overlap': seconds(rotation, /maximum: (\d+)/),
  'client traces': count('packages/gateway/src/observe/tracing/open-tracing.ts', 'clientTracesPerSecond'),
} satisfies Facts

const unit = 'deploy/systemd/fairlead.service'
const manifest = 'deploy/kubernetes/fairlead.yaml'
const maxPods = count(manifest, /maxReplicas: (\d+)/)
const podsDuringAnUpdate = plus(maxPods, count(manifest, /maxSurge: (\d+)/))
// The EVM responses, and up to twice as much for beacon responses.
const cachedResponses: Quantity = { value: 3 * defaults.cacheBytes, measure: 'bytes' }
const podMemory = times(bytes(manifest, /limits: \{ memory: (\d+)Mi/), 2 ** 20)
const shareOfMachine = constantOf('packages/gateway-core/src/memory/memory-capacity.ts', 'shareOfMachine')
const memoryOfClients = times(podMemory, shareOfMachine)

const deployment = {
  'readiness failures': count(manifest, /readinessProbe:[^]*?failureThreshold: (\d+)/),
  'readiness period': seconds(manifest, /readinessProbe:[^]*?periodSeconds: (\d+)/),
  'drain of a pod': seconds(manifest, /terminationGracePeriodSeconds: (\d+)/),
  'minimum pods': count(manifest, /minReplicas: (\d+)/),
  'maximum pods': maxPods,
  'pods during an update': podsDuringAnUpdate,
  'database connections of all pods': times(gatewayFacts['database connections'], podsDuringAnUpdate.value),
  'stop timeout of the unit': seconds(unit, /TimeoutStopSec=(\d+)/),
  'open files of the unit': count(unit, /LimitNOFILE=(\d+)/),
  'memory of a pod': podMemory,
  'memory of clients': memoryOfClients,
  'cached responses': cachedResponses,
} satisfies Facts

/** The memory that a process uses at most with the default limits. The first summand is the process itself. */
export const maxMemory = plus({ value: 150e6, measure: 'bytes' }, memoryOfClients, cachedResponses)

const transport = 'packages/grpc-transport/src/client/options.ts'
const webSocket = 'packages/evm-rpc/src/transports/web-socket.ts'

const clients = {
  'client timeout': ms('packages/core/src/http-transport.ts', /timeoutMs: \w+ = ([\d_]+)/),
  'EVM client timeout': ms('packages/evm-rpc/src/transports/http.ts', 'timeoutMs'),
  'gRPC client timeout': ms('packages/grpc/src/calls/connection.ts', 'timeoutMs'),
  'WebSocket connect timeout': ms(webSocket, 'connectTimeoutMs'),
  'gRPC keepalive': ms(transport, 'keepaliveMs'),
  'gRPC keepalive timeout': ms(transport, 'keepaliveTimeoutMs'),
  'gRPC client window': bytes(transport, 'streamWindowBytes'),
  // The pause after the first failure is twice this number.
  'first pause of a node': times(ms('packages/core/src/node-health.ts', /Math\.min\([\d_]+, (\d+) \*/), 2),
  'longest pause of a node': ms('packages/core/src/node-health.ts', /Math\.min\(([\d_]+),/),
  'longest pause of a watcher': ms('packages/jetton/src/burns/watch-burns.ts', /Math\.min\(([\d_]+),/),
} satisfies Facts

const alertRules = 'docs/operations/alert-rules.yaml'

const alerts = {
  'breaker alert': minutes(alertRules, /FairleadBreakerOpen\n[^]*?\n +for: (\d+)m/),
  'lag alert': minutes(alertRules, /FairleadHeadLag\n[^]*?\n +for: (\d+)m/),
  'lag of the alert': seconds(alertRules, /FairleadHeadLag\n[^]*?lag_seconds\) > (\d+)/),
  'database alert': minutes(alertRules, /FairleadDatabaseDown\n[^]*?\n +for: (\d+)m/),
  'long tick': ms('packages/runtime/src/long-ticks.ts', 'longTickMs'),
  'event loop alert': seconds(alertRules, /FairleadEventLoopDelay\n[^]*?_seconds\) > ([\d.]+)/),
  'directory alert': plus(
    seconds(alertRules, /directory_loaded_timestamp_seconds\) > (\d+)/),
    seconds(alertRules, /FairleadDirectoryStale\n[^]*?\n +for: (\d+)s/),
  ),
} satisfies Facts

/** The numbers that pages copy from the code, by the name in `<!-- fact: name -->`. */
export const facts: Facts = { ...gatewayFacts, ...interfaces, ...deployment, ...clients, ...alerts }
