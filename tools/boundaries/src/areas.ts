/** A part of a package that may import only some of the others. */
export interface Area {
  readonly name: string
  /** Matches paths below the package's `src`; the first area that matches owns the file. */
  readonly files: RegExp
  readonly mayImport: readonly string[]
  /** Packages of the workspace that it may import, with their entries. */
  readonly packages: RegExp
}

const lines = (...patterns: readonly string[]) => new RegExp(`^(?:${patterns.join('|')})$`)
const below = (...folders: readonly string[]) => folders.map((folder) => `${folder}/.+`)
const files = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `${folder === '' ? '' : `${folder}/`}${name}\\.ts`)

/** Packages that every area may import. */
const engines = ['@fairlead/core', '@fairlead/http1', '@fairlead/gateway-core/.+'] as const

/** Areas of packages/gateway/src, from the bottom to the top. Each is to become a package. */
export const gatewayAreas: readonly Area[] = [
  {
    name: 'grpc',
    files: lines(...below('access/listen/grpc', 'access/admit/grpc', 'access/forward/grpc')),
    mayImport: [],
    packages: lines(...engines, '@fairlead/grpc-transport(?:/.+)?', '@fairlead/grpc/contract'),
  },
  {
    name: 'beacon',
    files: lines(
      ...below('access/forward/beacon-nodes', 'access/forward/events'),
      ...files('access/listen', 'beacon-http'),
      ...files('access/route', 'beacon-operations', 'beacon-parameters', 'beacon-media-types'),
      ...files('access/route', 'legacy-operations', 'beacon-path'),
    ),
    mayImport: [],
    packages: lines(...engines, '@fairlead/beacon/contract'),
  },
  {
    name: 'jetton',
    files: lines(
      ...below('access/forward/jetton'),
      ...files('access/listen', 'jetton-http'),
      ...files(
        'access/route',
        'jetton-aliases',
        'jetton-formats',
        'jetton-operations',
        'jetton-parameters',
        'jetton-path',
      ),
    ),
    mayImport: [],
    packages: lines(...engines, '@fairlead/jetton/contract'),
  },
  {
    name: 'evm',
    files: lines(
      ...below('access/forward/adapters', 'access/forward/cache', 'access/forward/consistency'),
      ...below('access/forward/subscribe', 'access/json-rpc'),
      ...files('access', 'call', 'answer-call'),
      ...files('access/route', 'route-method', 'offered-method', 'method-cost', 'chain-methods'),
      ...files('access/route', 'evm-description', 'node-path'),
      ...files(
        'access/listen',
        'json-rpc-http',
        'stream-answer',
        'json-rpc-websocket',
        'websocket-plane',
        'websocket-metrics',
      ),
      ...files(
        'access/listen',
        'websocket-session',
        'session-message',
        'answer-message',
        'credential-sockets',
      ),
      ...files('access/forward', 'call-pace', 'forward', 'ask-node', 'asked', 'read-answer', 'peek-answer'),
      ...files('access/forward', 'rewrite-answer', 'held-answer', 'upstream-answer', 'upstream', 'answers'),
      ...files('access/forward', 'create-upstream', 'upstream-calls', 'node-batches', 'node-error'),
      ...files('access/forward', 'upstream-socket', 'upstreams', 'upstream-jwt', 'validate-params'),
      ...files('access/forward', 'watch-silence', 'caller-text', 'rpc-errors'),
      ...files('access/forward/pool', 'node-pool', 'pooled-call', 'attempt', 'judge-answer', 'resending'),
      ...files('access/forward/pool', 'call-needs', 'raw-transaction', 'filters', 'hold-short-answer'),
      ...files('access/forward/pool', 'chain-view', 'observed-chain', 'chain-depths', 'pool-watch'),
      ...files('access/forward/pool', 'rate-refusal'),
      ...files('observe/states', 'answer-metrics'),
      ...files('probe', 'classify-answer', 'probe-answer', 'probe-methods', 'read-sample', 'recipes'),
      ...files('probe', 'sample-params', 'station-caller', 'http-caller', 'web-socket-caller', 'run-probe'),
      ...files('probe', 'format-report', 'probe-target', 'probe-node', 'upstream-identity'),
    ),
    mayImport: [],
    packages: lines(...engines, '@fairlead/evm-rpc/contract'),
  },
  {
    name: 'platform',
    files: lines(...below('control'), ...files('', 'directory-feed')),
    mayImport: [],
    packages: lines(...engines, '@fairlead/platform-client/contract'),
  },
  {
    name: 'gateway',
    files: /./,
    mayImport: ['evm', 'beacon', 'jetton', 'grpc', 'platform'],
    packages: /./,
  },
]

const devnetPackages = lines('@fairlead/grpc(?:-transport)?(?:/.+)?')

/** Folders of packages/devnet/src: a chain imports no other chain. */
export const devnetAreas: readonly Area[] = [
  { name: 'runtime', files: lines(...below('runtime')), mayImport: [], packages: lines() },
  ...['evm', 'beacon', 'jetton', 'solana'].map((chain) => ({
    name: chain,
    files: lines(...below(chain)),
    mayImport: ['runtime'],
    packages: devnetPackages,
  })),
  {
    name: 'devnet',
    files: lines(...files('', 'index', 'devnet')),
    mayImport: ['runtime', 'evm', 'beacon', 'jetton', 'solana'],
    packages: lines(),
  },
]
