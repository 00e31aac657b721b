// For runtimes that speak HTTP/2, in ECMAScript modules.
import * as beacon from '@fairlead/beacon'
import * as core from '@fairlead/core'
import * as evm from '@fairlead/evm-rpc'
import * as actions from '@fairlead/evm-rpc/actions'
import { createGrpcClient } from '@fairlead/grpc'
import * as transport from '@fairlead/grpc-transport'
import * as geyser from '@fairlead/grpc/geyser'
import * as jettonV2 from '@fairlead/jetton/v2'
import * as jettonV3 from '@fairlead/jetton/v3'
import * as platform from '@fairlead/platform-client'
import * as sdk from '@fairlead/sdk'
import { report } from './calls.js'
import { gateway } from './gateway.js'

const createTransport = transport.createHttp2Transport
const modules = {
  beacon,
  core,
  evm,
  actions,
  createGrpcClient,
  createTransport,
  transport,
  geyser,
  jettonV2,
  jettonV3,
}
// oxlint-disable-next-line no-console -- how it answers
console.log(await report({ ...modules, platform, sdk }, gateway))
