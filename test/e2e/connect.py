"""Runs commands of kafka-connect-py, one a line of standard input as a JSON
list of arguments, and answers each with a line {"code", "out"}."""
import json
import sys

from click.testing import CliRunner
from kafka_connect.cli import cli

for line in sys.stdin:
    result = CliRunner().invoke(cli, json.loads(line))
    out = result.output if result.exception is None else f"{result.output}\n{result.exception}"
    print(json.dumps({"code": result.exit_code, "out": out}), flush=True)
