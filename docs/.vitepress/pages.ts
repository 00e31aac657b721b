/** What search engines and language models show of a page. */
export interface PageSummary {
  readonly title: string
  /** 50 to 160 characters. */
  readonly description: string
}

/**
 * Titles and descriptions of the pages, by their path on the site. They are here and not in front matter, because code
 * hosts show front matter as a table above the page.
 */
export const pageSummaries: Readonly<Record<string, PageSummary>> = {
  'index.md': {
    title: 'Gateway and clients for Ethereum, TON, Solana and Sui nodes',
    description:
      'Open-source gateway for your own Ethereum, TON, Solana and Sui nodes: API keys, limits, failover, caching, metering. Typed TypeScript clients.',
  },
  'start.md': {
    title: 'Getting started: run the gateway and call Ethereum, TON and Solana',
    description:
      'Start the gateway over embedded Ethereum, TON and Solana chains with one command, sign in to the console, make the first calls, add your own node.',
  },
  'security.md': {
    title: 'Security and threat model',
    description:
      'Threat model of the gateway: assets, actors, trust boundaries, storage of secrets, and security promises with the tests that check each of them.',
  },
  'architecture.md': {
    title: 'Architecture',
    description:
      'How the Fairlead gateway and its TypeScript clients are built: packages, specifications, the path of a request, upstreams, storage and metering.',
  },
  'benchmarks.md': {
    title: 'Benchmarks: gateway against nginx, clients against viem and ethers',
    description:
      'Throughput, latency, CPU time, memory and bundle size of the Fairlead gateway and clients against nginx, viem, ethers, @lodestar/api and @ton/ton.',
  },
  'guides/platform.md': {
    title: 'Platform API: projects, nodes and credentials from TypeScript',
    description:
      'Manage projects, blockchain nodes, API keys and usage with the typed platform API client: errors, retries, timeouts, pagination.',
  },
  'guides/evm.md': {
    title: 'Ethereum JSON-RPC in TypeScript, with viem and ethers',
    description:
      'Typed Ethereum and EVM JSON-RPC over HTTP and WebSocket: errors, retries, batches, block and log streams without gaps, viem and ethers transports.',
  },
  'guides/beacon.md': {
    title: 'Ethereum beacon API in TypeScript',
    description:
      'Typed client of the Ethereum beacon node API: all operations, SSZ, server-sent events that report gaps, large states as streams, fork choice.',
  },
  'guides/jetton.md': {
    title: 'TON in TypeScript: toncenter API v2 and v3, jettons',
    description:
      'Typed client of the toncenter-compatible TON HTTP API v2 and v3: calls, addresses, errors, automatic pagination and a watcher of jetton burns.',
  },
  'guides/grpc.md': {
    title: 'Solana Yellowstone Geyser and Sui gRPC in TypeScript',
    description:
      'Typed gRPC clients for Solana Yellowstone Geyser and Sui, without native code: x-token authentication, errors, retries, streams, gRPC-web in browsers.',
  },
  'recipes/failover.md': {
    title: 'Failover between several nodes',
    description:
      'Use several Ethereum, beacon, TON or Solana gRPC nodes behind one TypeScript client: which calls fail over, and which are never sent twice.',
  },
  'recipes/subscriptions.md': {
    title: 'Ethereum subscriptions and log streams without gaps',
    description:
      'Follow Ethereum blocks and logs exactly once, across lost connections, reorganizations and restarts, in place of plain eth_subscribe.',
  },
  'recipes/burns-watcher.md': {
    title: 'Watch jetton burns on TON',
    description:
      'Receive every burn of a TON jetton once, also across restarts, with a cursor in a file and the toncenter-compatible API v3.',
  },
  'recipes/fork-choice.md': {
    title: 'Ethereum fork choice and reorganizations',
    description:
      'Compute the head of the Ethereum beacon chain from a fork choice dump, list competing branches, and detect what a reorganization changed.',
  },
  'recipes/streaming.md': {
    title: 'Stream Solana transactions with Yellowstone Geyser',
    description:
      'Stream Solana transactions, accounts and blocks over Yellowstone Geyser gRPC; resume by slot after a failure or restart, without missing updates.',
  },
  'self-hosting/single-machine.md': {
    title: 'Self-hosting on a single machine',
    description:
      'Run the gateway in front of your own blockchain nodes on one machine: configuration files, checks before the start, TLS and access from outside.',
  },
  'self-hosting/systemd.md': {
    title: 'Self-hosting with systemd',
    description:
      'Run the gateway as a hardened systemd service: the unit, the environment file as a credential, ports below 1024, certificates and logs.',
  },
  'self-hosting/container.md': {
    title: 'Self-hosting in a container (Podman, Docker)',
    description:
      'Build and run the gateway as a container with Podman or Docker: volume, user, health check, TLS proxy in front, shutdown and backups.',
  },
  'self-hosting/replicas.md': {
    title: 'Replicas behind nginx with PostgreSQL and Valkey',
    description:
      'Run several replicas of the gateway behind nginx, with PostgreSQL for records and Valkey or Redis for shared limits and cached responses.',
  },
  'self-hosting/kubernetes.md': {
    title: 'Self-hosting on Kubernetes',
    description:
      'Kubernetes manifests of the gateway: deployment, secrets, autoscaling, disruption budget, network policy, and gRPC through an ingress.',
  },
  'operations/running.md': {
    title: 'Running the gateway in production',
    description:
      'Deployment options, signals, draining, configuration reload without a restart, and protection of the gateway from hostile clients.',
  },
  'operations/scaling.md': {
    title: 'Scaling and sizing',
    description:
      'How many requests per second a gateway process serves, when to add processes or replicas, and which resources each of them needs.',
  },
  'operations/limits.md': {
    title: 'Rate limits, quotas and concurrency',
    description:
      'Rate limits, daily and monthly quotas, concurrency and queueing of credentials, nodes and projects, exact across several replicas.',
  },
  'operations/metrics.md': {
    title: 'Prometheus metrics and Grafana dashboard',
    description:
      'All Prometheus metrics of the gateway with labels and meaning, a scrape configuration, and a Grafana dashboard to import.',
  },
  'operations/alerts.md': {
    title: 'Alerts and how to respond',
    description:
      'Prometheus alert rules of the gateway: what each alert means, how to find its cause, and how to respond to it in operation.',
  },
  'operations/backup.md': {
    title: 'Backup and restore',
    description:
      'Back up and restore the records of the gateway: the embedded database, PostgreSQL, the secret key, and how to test a restore.',
  },
  'operations/metering.md': {
    title: 'Usage metering',
    description:
      'How calls and messages are counted per credential, node, project and method, how exact the counts are, and how to export usage.',
  },
  'operations/tracing.md': {
    title: 'OpenTelemetry traces and logs',
    description:
      'OpenTelemetry traces and structured JSON logs of the gateway: spans and attributes, sampling, request ids, and what is never logged.',
  },
  'operations/upgrading.md': {
    title: 'Upgrading the gateway',
    description:
      'Upgrade the gateway to a new version: one replica at a time, migrations of the database, and the way back to the earlier version.',
  },
  'operations/webhooks.md': {
    title: 'Webhooks: events, delivery and signatures',
    description:
      'Webhooks of the platform: event types, delivery and retries, and verification of the signature of a delivery in your receiver.',
  },
  'reference/configuration.md': {
    title: 'Configuration reference: options and environment variables',
    description:
      'Every option of the gateway with its environment variable, default and meaning: ports, storage, upstreams, limits, sign-in, metrics and logs.',
  },
  'reference/command-line.md': {
    title: 'Command line reference: fairlead',
    description:
      'Commands of fairlead: run and check the gateway, back up records, probe nodes, and manage projects, nodes, credentials and limits.',
  },
  'reference/errors.md': {
    title: 'Error codes reference',
    description:
      'Every error code of the clients, the platform API and JSON-RPC: its meaning, its HTTP status, why a call was rejected, and whether to retry.',
  },
  'reference/node-access.md': {
    title: 'Node access: URLs, authentication, statuses and headers',
    description:
      'How clients reach Ethereum, TON, Solana and Sui nodes behind the gateway: URL forms, credentials, common statuses, headers, CORS, TLS.',
  },
  'reference/node-access/evm.md': {
    title: 'EVM node access: JSON-RPC, WebSocket and eth_subscribe',
    description:
      'Ethereum JSON-RPC over HTTP and WebSocket at the gateway: error codes, limits, close codes, and eth_subscribe without gaps across reorganizations.',
  },
  'reference/node-access/beacon.md': {
    title: 'Ethereum beacon node access: REST, SSZ and events',
    description:
      'The Ethereum beacon node API at the gateway: forwarded headers, errors, debug endpoints, cached responses and server-sent events.',
  },
  'reference/node-access/ton.md': {
    title: 'TON node access: toncenter-compatible API v2 and v3',
    description:
      'The toncenter-compatible TON HTTP API v2 and v3 at the gateway: differences from upstreams, errors, addresses, JSON-RPC and parameter aliases.',
  },
  'reference/node-access/grpc.md': {
    title: 'gRPC node access: Solana Yellowstone Geyser, Sui, gRPC-web',
    description:
      'gRPC and gRPC-web at the gateway for Solana Yellowstone Geyser, Sui and other services: upstream URL, metadata, rules, statuses and flow control.',
  },
  'reference/adapters.md': {
    title: 'Adapters: differences between node clients',
    description:
      'How the gateway detects node clients such as geth, Erigon, Reth and toncenter, and adapts their methods, results and errors to the specification.',
  },
  'reference/beacon-operations.md': {
    title: 'Ethereum beacon API operations',
    description:
      'Table of all operations of the Ethereum beacon node API: path, SSZ and JSON forms, stage, and support by the embedded development chain.',
  },
  'reference/caching.md': {
    title: 'Caching and request coalescing',
    description:
      'Which Ethereum JSON-RPC responses the gateway caches by finality, how identical requests are coalesced, and how long log ranges are split.',
  },
  'reference/ton-get-config-param.md': {
    title: 'TON getConfigParam: configuration parameters as JSON',
    description:
      'Fields of each TON configuration parameter that getConfigParam returns as JSON: validators, elections, gas prices, workchains and bridges.',
  },
  'reference/glossary.md': {
    title: 'Glossary',
    description:
      'Terms that the documentation, the console, the errors and the metrics of Fairlead use, each with one meaning: gateway, node, upstream and others.',
  },
  'reference/jetton-operations.md': {
    title: 'TON API operations (toncenter v2 and v3)',
    description:
      'Table of all operations of the toncenter-compatible TON API v2 and v3, by REST and JSON-RPC, and their support by the embedded chain.',
  },
  'reference/methods.md': {
    title: 'Ethereum JSON-RPC methods by client',
    description:
      'Table of all Ethereum JSON-RPC methods, from eth_call to debug and trace methods, with the node clients that support each of them.',
  },
  'reference/nodes.md': {
    title: 'Nodes: creation, upstreams, credentials, rules and limits',
    description:
      'Create nodes by the platform API: chains, upstream URLs and allowed targets, credentials and their rotation, access rules and limits.',
  },
  'reference/people.md': {
    title: 'Members, roles, sessions and API keys',
    description:
      'Members and roles of an organization, invitations, sign-in sessions, OpenID Connect, and the scopes of API keys of the platform.',
  },
  'reference/upstreams.md': {
    title: 'Upstreams: failover, health checks and load balancing',
    description:
      'Several upstreams behind one node: URL options, JWT authentication, health checks, roles, weights, retries and failover for every protocol.',
  },
  'contributing/index.md': {
    title: 'Contributing',
    description:
      'Commands, tests, dependency rules and style for contributors to Fairlead, and where to change an operation, an option or a page.',
  },
  'contributing/add-a-protocol.md': {
    title: 'Add a protocol to the gateway',
    description:
      'Write a protocol module for the gateway step by step: routes, options, upstreams, errors and tests, with a complete small example.',
  },
  'contributing/lifecycle.md': {
    title: 'The lifecycle of a request',
    description:
      'The stages of EVM calls, beacon requests and platform requests in the gateway, in order: their files, and the reason for their order.',
  },
  'contributing/releasing.md': {
    title: 'How a release is made',
    description:
      'How packages of Fairlead are versioned, packed, checked and published, and how to rehearse a release with a local registry.',
  },
  'contributing/resends.md': {
    title: 'Where a call is sent again',
    description:
      'Every place where the gateway sends a call to an upstream a second time: its condition, its limit, and the policy of each protocol.',
  },
  'contributing/spec-changes.md': {
    title: 'How a specification change is reviewed',
    description:
      'How changes of the OpenAPI, OpenRPC and protobuf specifications are compared, classified as breaking or not, and turned into changesets.',
  },
}
