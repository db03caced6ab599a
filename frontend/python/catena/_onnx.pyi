from collections.abc import Callable

from catena._catena import Parameter, Variable

class Port:
    """An input or output of an ONNX model."""

    @property
    def name(self) -> str: ...
    @property
    def dtype_name(self) -> str:
        """ "float32"; empty where the file does not say."""
    @property
    def shape(self) -> list[str] | None:
        """Sizes as texts, names of open ones ("batch"), or "" where the file does not say."""
    @property
    def is_sequence(self) -> bool: ...
    @property
    def is_optional(self) -> bool: ...

class Model:
    def run(self, inputs: list[Variable], /) -> list[Variable]: ...
    @property
    def inputs(self) -> list[Port]: ...
    @property
    def outputs(self) -> list[Port]: ...
    def initializers(self) -> list[tuple[str, Variable]]: ...
    def namedparams(self) -> list[tuple[str, Parameter]]: ...

def load(path: str, trainable: bool, /) -> Model: ...
def load_tensor(path: str, /) -> Variable: ...
def export(
    call: Callable[[list[Variable]], list[Variable]],
    inputs: list[Variable],
    path: str,
    opset: int,
    graph_name: str,
    input_names: list[str],
    output_names: list[str],
    open_sizes: list[tuple[int, int, str]],
    train: bool,
    /,
) -> None: ...
