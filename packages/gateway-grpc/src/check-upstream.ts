import { connect } from 'node:http2'
import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamCheck } from '@fairlead/gateway-core/protocol/module'
import { parseUpstreamUrl } from './upstream/parse-url.ts'

/** Checks whether an upstream supports HTTP/2. */
export function checkUpstream(
  _recordName: string,
  { address }: UpstreamRecord,
  timeoutMs: number,
): Promise<UpstreamCheck> {
  return new Promise((resolve, reject) => {
    const session = connect(parseUpstreamUrl(address)?.url ?? address)
    const timer = setTimeout(() => session.destroy(new Error('timeout')), timeoutMs)
    session.once('remoteSettings', () => {
      resolve('accepts HTTP/2 connections')
      session.destroy()
    })
    session.once('error', reject)
    session.once('close', () => clearTimeout(timer))
  })
}
