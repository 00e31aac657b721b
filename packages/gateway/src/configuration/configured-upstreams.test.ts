import { FairleadError } from '@fairlead/core'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configuredUpstreams } from './configured-upstreams.ts'
import { parseConfiguration } from './parse-configuration.ts'

const evm = { FAIRLEAD_EVM_UPSTREAM: 'http://127.0.0.1:8545' }
const socket = { FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: 'ws://127.0.0.1:8545' }
const beacon = { FAIRLEAD_BEACON_UPSTREAM: ' http://127.0.0.1:5052\n https://name:pass@beacon.example/key ' }
const jetton = { FAIRLEAD_JETTON_UPSTREAM: 'https://name:pass@jetton.example/key?api_key=x' }
const grpc = { FAIRLEAD_GRPC_UPSTREAM: 'https://x-token:s3cr3t@grpc.example:443' }
const index = { FAIRLEAD_JETTON_V3_UPSTREAM: 'http://index.example' }

// The table of cases uses these files.
const folder = mkdtempSync(join(tmpdir(), 'fairlead-jwt-'))
const secretFile = join(folder, 'jwt.hex')
writeFileSync(secretFile, `0x${'5e'.repeat(32)}`)
afterAll(() => rmSync(folder, { recursive: true }))

function upstreams(environment: Record<string, string>) {
  return configuredUpstreams(parseConfiguration(environment))
}

describe('configuredUpstreams', () => {
  it.each([
    [evm, { evm: 'http://127.0.0.1:8545' }],
    [
      { ...evm, ...socket },
      { evm: 'http://127.0.0.1:8545', websocket: 'ws://127.0.0.1:8545' },
    ],
    [
      {
        FAIRLEAD_EVM_UPSTREAM: ' http://a#roles=archive;weight=2  https://b#cordoned',
        FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: 'ws://a wss://b',
      },
      { evm: 'http://a#roles=archive;weight=2  https://b#cordoned', websocket: 'ws://a wss://b' },
    ],
    [beacon, { beacon: 'http://127.0.0.1:5052\n https://name:pass@beacon.example/key' }],
    [
      { ...evm, FAIRLEAD_BEACON_UPSTREAM: 'http://b' },
      { evm: 'http://127.0.0.1:8545', beacon: 'http://b' },
    ],
    [jetton, { jetton: 'https://name:pass@jetton.example/key?api_key=x' }],
    [
      { ...evm, ...jetton, ...index },
      {
        evm: 'http://127.0.0.1:8545',
        jetton: 'https://name:pass@jetton.example/key?api_key=x',
        'jetton-v3': 'http://index.example',
      },
    ],
    [grpc, { grpc: 'https://x-token:s3cr3t@grpc.example:443' }],
    [
      {
        FAIRLEAD_EVM_UPSTREAM: `http://a#jwt=${secretFile}`,
        FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: `ws://a#jwt=${secretFile}`,
      },
      { evm: `http://a#jwt=${secretFile}`, websocket: `ws://a#jwt=${secretFile}` },
    ],
    [
      { ...evm, FAIRLEAD_GRPC_UPSTREAM: 'http://127.0.0.1:10000' },
      { evm: 'http://127.0.0.1:8545', grpc: 'http://127.0.0.1:10000' },
    ],
  ])('reads %j', (environment, expected) => {
    expect(upstreams(environment)).toEqual(expected)
  })

  it.each([
    [
      {},
      'FAIRLEAD_EVM_UPSTREAM, FAIRLEAD_BEACON_UPSTREAM, FAIRLEAD_JETTON_UPSTREAM or FAIRLEAD_GRPC_UPSTREAM',
    ],
    [{ FAIRLEAD_GRPC_UPSTREAM: 'canary:443' }, 'FAIRLEAD_GRPC_UPSTREAM'],
    [{ FAIRLEAD_GRPC_UPSTREAM: 'https://grpc.example/canary' }, 'FAIRLEAD_GRPC_UPSTREAM'],
    [{ FAIRLEAD_GRPC_UPSTREAM: 'https://grpc.example?canary' }, 'FAIRLEAD_GRPC_UPSTREAM'],
    [{ FAIRLEAD_GRPC_UPSTREAM: 'https://canary@grpc.example' }, 'FAIRLEAD_GRPC_UPSTREAM'],
    [{ FAIRLEAD_GRPC_UPSTREAM: 'https://grpc-timeout:canary@grpc.example' }, 'FAIRLEAD_GRPC_UPSTREAM'],
    [{ FAIRLEAD_GRPC_UPSTREAM: 'https://x-token:canary%0A@grpc.example' }, 'FAIRLEAD_GRPC_UPSTREAM'],
    [{ ...evm, ...index }, 'FAIRLEAD_JETTON_V3_UPSTREAM'],
    [{ FAIRLEAD_JETTON_UPSTREAM: 'ftp://canary' }, 'FAIRLEAD_JETTON_UPSTREAM'],
    [{ FAIRLEAD_JETTON_UPSTREAM: 'http://a ftp://canary' }, 'FAIRLEAD_JETTON_UPSTREAM'],
    [{ FAIRLEAD_JETTON_UPSTREAM: 'http://canary:x:y' }, 'FAIRLEAD_JETTON_UPSTREAM'],
    [{ ...jetton, FAIRLEAD_JETTON_V3_UPSTREAM: 'http://canary:x:y' }, 'FAIRLEAD_JETTON_V3_UPSTREAM'],
    [{ ...beacon, ...socket }, 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM'],
    [{ FAIRLEAD_EVM_UPSTREAM: 'http://canary:x:y' }, 'FAIRLEAD_EVM_UPSTREAM'],
    [{ FAIRLEAD_EVM_UPSTREAM: 'http://a http://canary:x:y' }, 'FAIRLEAD_EVM_UPSTREAM'],
    [{ FAIRLEAD_EVM_UPSTREAM: 'http://a http://canary#roles=king' }, 'FAIRLEAD_EVM_UPSTREAM'],
    [{ ...evm, FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: 'ws://canary:x:y' }, 'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM'],
    [{ FAIRLEAD_BEACON_UPSTREAM: 'http://b http://canary:x:y' }, 'FAIRLEAD_BEACON_UPSTREAM'],
    [{ FAIRLEAD_BEACON_UPSTREAM: 'http://b, ftp://canary' }, 'FAIRLEAD_BEACON_UPSTREAM'],
    [{ FAIRLEAD_BEACON_UPSTREAM: 'canary' }, 'FAIRLEAD_BEACON_UPSTREAM'],
    [{ FAIRLEAD_EVM_UPSTREAM: 'http://a http://b#jwt=/canary.hex' }, 'FAIRLEAD_EVM_UPSTREAM'],
    [
      { ...evm, FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: 'ws://b#jwt=/canary.hex' },
      'FAIRLEAD_EVM_WEBSOCKET_UPSTREAM',
    ],
    [{ FAIRLEAD_BEACON_UPSTREAM: `http://b#jwt=${secretFile}` }, 'FAIRLEAD_BEACON_UPSTREAM'],
    [{ FAIRLEAD_JETTON_UPSTREAM: `http://b#jwt=${secretFile}` }, 'FAIRLEAD_JETTON_UPSTREAM'],
    [{ FAIRLEAD_GRPC_UPSTREAM: `http://b#jwt=${secretFile}` }, 'FAIRLEAD_GRPC_UPSTREAM'],
  ])('rejects %j', (environment, option) => {
    let problem: unknown
    try {
      upstreams(environment)
    } catch (error) {
      problem = error
    }
    if (!FairleadError.is(problem, 'CONFIG_INVALID')) throw new Error('It was accepted.')
    expect(problem.details.option).toBe(option)
    expect(JSON.stringify([problem.message, problem.details])).not.toContain('canary')
  })
})
