import { isAddressRange } from '@fairlead/gateway-core/admission/access-rules'
import { rangesIn } from '@fairlead/gateway-core/http/client-address'
import type { Option } from '@fairlead/gateway-core/protocol/option'

/** Where the service listens, and what it makes of connections. */
export const listeningOptions = {
  host: {
    kind: 'string',
    environment: 'FAIRLEAD_HOST',
    description: 'Address to listen on. Anything but loopback makes the service reachable from outside.',
    fallback: '127.0.0.1',
  },
  port: {
    kind: 'integer',
    environment: 'FAIRLEAD_PORT',
    description: 'Port to listen on; 0 takes a free one.',
    fallback: 8645,
    minimum: 0,
    maximum: 65_535,
  },
  tlsPort: {
    kind: 'integer',
    environment: 'FAIRLEAD_TLS_PORT',
    description: 'Port for TLS beside the other one, for HTTP and for gRPC; 0 takes a free one.',
    minimum: 0,
    maximum: 65_535,
  },
  tlsCertificateFile: {
    kind: 'string',
    environment: 'FAIRLEAD_TLS_CERTIFICATE_FILE',
    description:
      'PEM file with the certificate of the TLS port and those between it and the root; a changed one is taken over.',
  },
  tlsKeyFile: {
    kind: 'string',
    environment: 'FAIRLEAD_TLS_KEY_FILE',
    description: 'PEM file with the private key of the certificate; a changed one is taken over.',
  },
  processes: {
    kind: 'integer',
    environment: 'FAIRLEAD_PROCESSES',
    description:
      'Processes that serve on the same ports; 0 takes one for each core. More than one need PostgreSQL.',
    fallback: 1,
    minimum: 0,
    maximum: 256,
  },
  drainDelayMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_DRAIN_DELAY_MS',
    description:
      'How long a service that is told to stop goes on serving while /readyz says 503, in milliseconds.',
    fallback: 0,
    minimum: 0,
    maximum: 600_000,
  },
  maxConnections: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTIONS',
    description: 'Maximum number of client connections to one process; 0 = unlimited.',
    fallback: 10_000,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  maxConnectionsPerAddress: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS',
    description:
      'Maximum number of connections from one address to one process; trusted proxies may have any number. 0 = unlimited.',
    fallback: 5_000,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  stallMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_STALL_MS',
    description:
      'Maximum time in which a client may accept nothing of a response, or send nothing of a request body, in milliseconds.',
    fallback: 30_000,
    minimum: 1_000,
    maximum: 3_600_000,
    reload: true,
  },
  minBytesPerSecond: {
    kind: 'integer',
    environment: 'FAIRLEAD_MIN_BYTES_PER_SECOND',
    description:
      'Minimum mean rate at which a client must accept a response or send a request body, after that time.',
    fallback: 1_024,
    minimum: 0,
    maximum: 1_073_741_824,
    reload: true,
  },
  publicUrl: {
    kind: 'url',
    environment: 'FAIRLEAD_PUBLIC_URL',
    description: 'Address under which clients reach the service; links in answers start with it.',
  },
  requireHttps: {
    kind: 'boolean',
    environment: 'FAIRLEAD_REQUIRE_HTTPS',
    description: 'Refuse platform requests over plain HTTP that do not come from loopback.',
    fallback: true,
  },
  trustProxy: {
    kind: 'boolean',
    environment: 'FAIRLEAD_TRUST_PROXY',
    description:
      'Believe what the headers X-Forwarded-For and X-Forwarded-Proto of proxies on this machine and in private networks say.',
    fallback: false,
    reload: true,
  },
  trustedProxies: {
    kind: 'string',
    environment: 'FAIRLEAD_TRUSTED_PROXIES',
    description:
      'Addresses and CIDR ranges of the proxies that are believed instead of those, with commas between, such as 10.0.0.0/8,2001:db8::/32.',
    form: {
      pattern: { test: (text) => rangesIn(text).length > 0 && rangesIn(text).every(isAddressRange) },
      rule: 'addresses or CIDR ranges with commas between',
    },
    reload: true,
  },
  ownHttpFront: {
    kind: 'boolean',
    environment: 'FAIRLEAD_OWN_HTTP_FRONT',
    description:
      'Read ordinary JSON-RPC requests over HTTP/1.1 without node:http, in a fraction of the time.',
    fallback: true,
  },
  nodeCorsOrigin: {
    kind: 'string',
    environment: 'FAIRLEAD_NODE_CORS_ORIGIN',
    description: 'Origin that browsers may call nodes from; * for any.',
    fallback: '*',
    form: { pattern: /^(\*|https?:\/\/[\w.:[\]-]+)$/, rule: '* or an origin such as https://app.example' },
    reload: true,
  },
  nodeDomain: {
    kind: 'string',
    environment: 'FAIRLEAD_NODE_DOMAIN',
    description: 'When set, <node-id>.<domain> reaches a node, and the credential must belong to it.',
    form: { pattern: /^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/, rule: 'a domain name such as nodes.example' },
    reload: true,
  },
} as const satisfies Readonly<Record<string, Option>>
