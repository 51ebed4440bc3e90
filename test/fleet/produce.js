// Produces JSON lines {"key": hex, "value": text} from stdin to one topic.
// Usage: node produce.js BOOTSTRAP TOPIC DefaultPartitioner|LegacyPartitioner
const { Kafka, Partitioners, logLevel } = require('kafkajs')
const [bootstrap, topic, partitioner] = process.argv.slice(2)

const main = async () => {
  const lines = require('fs').readFileSync(0, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l))
  const kafka = new Kafka({ brokers: [bootstrap], logLevel: logLevel.ERROR })
  const producer = kafka.producer({ createPartitioner: Partitioners[partitioner] })
  await producer.connect()
  await producer.send({ topic, messages: lines.map((r) => ({ key: Buffer.from(r.key, 'hex'), value: r.value })) })
  await producer.disconnect()
}
main().catch((error) => {
  console.error(error)
  process.exit(1)
})
