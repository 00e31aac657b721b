/** A part of a package that may import only some of the other parts. */
export interface Area {
  readonly name: string
  /** Matches paths below the package's `src`. The first matching area owns the file. */
  readonly files: RegExp
  readonly mayImport: readonly string[]
  /** Workspace packages that the area may import, with their entries. */
  readonly packages: RegExp
}

const lines = (...patterns: readonly string[]) => new RegExp(`^(?:${patterns.join('|')})$`)
const below = (...folders: readonly string[]) => folders.map((folder) => `${folder}/.+`)
const files = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `${folder === '' ? '' : `${folder}/`}${name}\\.ts`)

/** Packages that every protocol and the platform API may import. */
const engines = [
  '@fairlead/core',
  '@fairlead/runtime(?:/.+)?',
  '@fairlead/http1',
  '@fairlead/gateway-core/.+',
] as const

const evmPackages = lines(...engines, '@fairlead/evm-rpc/contract')

/** Private packages of the gateway that may import only some workspace packages. */
export const gatewayPackages: ReadonlyMap<string, RegExp> = new Map([
  ['runtime', lines()],
  ['http1', lines('@fairlead/runtime')],
  ['gateway-core', lines('@fairlead/core', '@fairlead/runtime(?:/.+)?', '@fairlead/http1')],
  ['gateway-evm', evmPackages],
  ['gateway-beacon', lines(...engines, '@fairlead/beacon/contract')],
  ['gateway-jetton', lines(...engines, '@fairlead/jetton/contract')],
  ['gateway-grpc', lines(...engines, '@fairlead/grpc-transport(?:/.+)?', '@fairlead/grpc/contract')],
  ['platform-server', lines(...engines, '@fairlead/platform-client/contract')],
])

/** Folders of packages/gateway-evm/src. Other folders read responses of upstreams through the entries of `response`. */
export const evmAreas: readonly Area[] = [
  {
    name: 'response',
    files: lines(
      ...files('response', 'upstream-response', 'own-id', 'rpc-response', 'rpc-errors', 'classify-response'),
      ...files('response', 'unusual-response'),
    ),
    mayImport: ['parts of response', 'methods'],
    packages: evmPackages,
  },
  {
    name: 'parts of response',
    files: lines(...below('response')),
    mayImport: ['response', 'methods'],
    packages: evmPackages,
  },
  {
    name: 'methods',
    files: lines(...below('methods'), ...files('', 'rpc-codes')),
    mayImport: ['other folders'],
    packages: evmPackages,
  },
  { name: 'other folders', files: /./, mayImport: ['response', 'methods'], packages: evmPackages },
]

/** A file of a package that only some other files may import. */
export interface RestrictedFile {
  readonly package: string
  /** Path below the package's `src`, as are the importers. */
  readonly file: string
  readonly importers: readonly string[]
}

/**
 * Tables of policies by method. A call looks its policy up once, when its method is resolved, and carries it from then
 * on. The descriptions of protocols list the costs for the platform API.
 */
export const policyTables: readonly RestrictedFile[] = [
  {
    package: 'gateway-evm',
    file: 'generated/method-policies.ts',
    importers: ['methods/chain-methods.ts', 'methods/method-table.ts'],
  },
  {
    package: 'gateway-evm',
    file: 'methods/method-table.ts',
    importers: [
      'methods/available-methods.ts',
      // Calls that the gateway itself makes.
      'probe/recipes.ts',
      'upstream/own-call.ts',
    ],
  },
  {
    package: 'gateway-evm',
    file: 'methods/available-methods.ts',
    importers: [
      'call-handler.ts',
      'methods/resolve-method.ts',
      'websocket/handle-message.ts',
      'websocket/session.ts',
    ],
  },
  {
    package: 'gateway-beacon',
    file: 'generated/operation-policies.ts',
    importers: ['description.ts', 'operations/operations.ts'],
  },
  ...['v2', 'v3'].map((family) => ({
    package: 'gateway-jetton',
    file: `generated/jetton-${family}/operation-policies.ts`,
    importers: ['description.ts', 'operations/operations.ts'],
  })),
  {
    package: 'gateway-jetton',
    file: 'generated/jetton-v2-rpc/method-policies.ts',
    importers: ['description.ts', 'json-rpc/rpc-methods.ts'],
  },
  {
    package: 'gateway-grpc',
    file: 'generated/method-policies.ts',
    importers: ['call/call-path.ts', 'description.ts'],
  },
  {
    package: 'gateway-grpc',
    file: 'call/call-path.ts',
    importers: ['call/handle-call.ts'],
  },
]

const devnetPackages = lines('@fairlead/grpc(?:-transport)?(?:/.+)?')

/** Folders of packages/devnet/src. A chain must not import another chain. */
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
