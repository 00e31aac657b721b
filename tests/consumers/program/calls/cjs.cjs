// For runtimes that speak HTTP/2, in CommonJS.
const { createGrpcClient } = require('@fairlead/grpc')
const transport = require('@fairlead/grpc-transport')
const { report } = require('./calls.js')
const { gateway } = require('./gateway.js')

const modules = {
  beacon: require('@fairlead/beacon'),
  core: require('@fairlead/core'),
  evm: require('@fairlead/evm-rpc'),
  actions: require('@fairlead/evm-rpc/actions'),
  createGrpcClient,
  transport,
  createTransport: transport.createHttp2Transport,
  geyser: require('@fairlead/grpc/geyser'),
  jettonV2: require('@fairlead/jetton/v2'),
  jettonV3: require('@fairlead/jetton/v3'),
  platform: require('@fairlead/platform-client'),
  sdk: require('@fairlead/sdk'),
}
// oxlint-disable-next-line no-console -- how it answers
void report(modules, gateway).then((text) => console.log(text))
