// For runtimes that have `fetch` and nothing else: browsers and edge runtimes. They speak gRPC-web.
import * as beacon from '@fairlead/beacon'
import * as core from '@fairlead/core'
import * as evm from '@fairlead/evm-rpc'
import * as actions from '@fairlead/evm-rpc/actions'
import * as transport from '@fairlead/grpc-transport/wire'
import * as geyser from '@fairlead/grpc/geyser'
import { createGrpcWebClient, createGrpcWebTransport } from '@fairlead/grpc/web'
import * as jettonV2 from '@fairlead/jetton/v2'
import * as jettonV3 from '@fairlead/jetton/v3'
import * as platform from '@fairlead/platform-client'
import * as sdk from '@fairlead/sdk'
import { report } from './calls.js'
import { gateway } from './gateway.js'

const modules = {
  beacon,
  core,
  evm,
  actions,
  createGrpcClient: createGrpcWebClient,
  createTransport: createGrpcWebTransport,
  transport,
  geyser,
  jettonV2,
  jettonV3,
  platform,
  sdk,
}
// The platform API is for servers: a page reaches it through its own.
const base_url = globalThis.location?.origin ?? gateway.base_url
void report(modules, { ...gateway, base_url }).then((text) => globalThis.done(text))
