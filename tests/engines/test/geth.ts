import { startServiceProcess } from '@fairlead/vitest/service-process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGoProgram } from './go-program.ts'

/** A running go-ethereum with a development chain, which mines a block for each transaction. */
export interface Geth {
  readonly httpUrl: string
  readonly webSocketUrl: string
  stop(): Promise<void>
}

const namespaces = 'eth,net,web3,debug,txpool'

/** Starts `geth --dev` of the version in go.mod on loopback. */
export async function startGeth(): Promise<Geth> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-geth-'))
  const service = await startServiceProcess({
    program: await buildGoProgram('github.com/ethereum/go-ethereum/cmd/geth'),
    args: (
      `--dev --datadir ${folder} --nodiscover --ipcdisable --port 0 --authrpc.port 0 ` +
      `--http --http.port 0 --http.api ${namespaces} --ws --ws.port 0 --ws.api ${namespaces}`
    ).split(' '),
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    ready: /HTTP server started/,
  })
  const [, http] = /HTTP server started +endpoint=(\S+)/.exec(service.output()) ?? []
  const [, webSocketUrl] = /WebSocket enabled +url=(\S+)/.exec(service.output()) ?? []
  if (http === undefined || webSocketUrl === undefined)
    throw new Error(`geth named no address:\n${service.output()}`)
  return {
    httpUrl: `http://${http}`,
    webSocketUrl,
    stop: async () => {
      await service.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
